import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { hangUp, refusal } from "./message.ts";
import type { HttpToken } from "./token.ts";

interface AccessOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** Names under which clients reach it, beside those of this machine. */
  readonly names: readonly string[];
  readonly token: HttpToken;
  /** A request on this connection has shown the token. */
  onToken(socket: Socket): void;
}

/** Who is let in. A check refuses callers without permission and hangs up on them; it gives undefined for the others. */
export interface Access {
  /** A web page can make its own name point here; it cannot choose the Host and Origin that a browser sends. */
  checkOrigin(incoming: IncomingMessage): Response | undefined;
  checkToken(incoming: IncomingMessage): Response | undefined;
}

export function createAccess({ host, names, token, onToken }: AccessOptions): Access {
  const known = [...localhostAllowedHostnames(), bracketed(host), ...names.map((name) => name.toLowerCase())];
  const isEverywhere = host === "0.0.0.0" || host === "::";
  return {
    checkOrigin({ headers }) {
      const allowed = isEverywhere ? [...known, ...ownAddresses()] : known;
      if (!isPlain(headers.host) || !validateHostHeader(headers.host, allowed).ok)
        return refusal(403, wrongHost(headers.host), hangUp);
      if (!validateOriginHeader(headers.origin, allowed).ok) return refusal(403, wrongOrigin(headers.origin), hangUp);
      return undefined;
    },
    checkToken({ headers, socket }) {
      if (!token.isIn(headers.authorization)) return unauthorized(headers.authorization);
      onToken(socket);
      return undefined;
    },
  };
}

/** A name or an address and perhaps a port, without what a parser of URLs would pass over. */
function isPlain(host = ""): boolean {
  return /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i.test(host);
}

/** No page can claim an address as its name, so our own addresses are safe as Hosts. */
function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return found.map(({ address }) => bracketed(address));
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host.split("%", 1)[0]}]`).hostname : host.toLowerCase();
}

// Strangers read these: they name no path, and no Host that would be let in.

function wrongHost(host: string | undefined): string {
  if (host === undefined) return "The Host header is missing.";
  return `The Host ${JSON.stringify(host)} is unknown here. If this server has that name, add it to coordinator.http.names in its configuration.`;
}

function wrongOrigin(origin = ""): string {
  return `Web pages of ${JSON.stringify(origin)} may not use this server. To allow a host name, add it to coordinator.http.names in the configuration.`;
}

function unauthorized(header: string | undefined): Response {
  const what = header === undefined ? "The Authorization header is missing" : "The token is wrong";
  const message = `${what}. Send "Authorization: Bearer <token>"; the token is in the file http-token of the server's data folder.`;
  return refusal(401, message, { ...hangUp, "www-authenticate": 'Bearer realm="mcp-coordinator"' });
}
