import type { IncomingMessage } from "node:http";
import { isIP, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { localhostAllowedHostnames, validateHostHeader, validateOriginHeader } from "@modelcontextprotocol/server";
import { hangUp, refusal } from "./http-message.ts";
import type { HttpToken } from "./http-token.ts";

interface AccessOptions {
  /** The address that is listened on. */
  readonly host: string;
  /** Names under which clients reach it, beside those of this machine. */
  readonly names: readonly string[];
  readonly token: HttpToken;
  /** A request on this connection has shown the token. */
  onToken(socket: Socket): void;
}

/** Who may in. Each check answers those who may not, and hangs up on them; undefined for those who may. */
export interface Access {
  /** Keeps out web pages of others: a page can make its own name point here, but cannot choose the Host and Origin that a browser sends. */
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

/** A name cannot be made to be an address, so that addresses of our own are safe to be called by. */
function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return found.map(({ address }) => bracketed(address));
}

function bracketed(host: string): string {
  return isIP(host) === 6 ? new URL(`http://[${host.split("%", 1)[0]}]`).hostname : host.toLowerCase();
}

// Whoever reads these is not let in: they name no path, and no name that would be.

function wrongHost(host: string | undefined): string {
  const given =
    host === undefined ? "The Host header is missing" : `The Host ${JSON.stringify(host)} is not known here`;
  return `${given}. A name that belongs to this server goes into coordinator.http.names of its configuration.`;
}

function wrongOrigin(origin = ""): string {
  return `Web pages of ${JSON.stringify(origin)} may not ask here. The name of one that may goes into coordinator.http.names of the configuration.`;
}

function unauthorized(header: string | undefined): Response {
  const what = header === undefined ? "The Authorization header is missing" : "The token is wrong";
  const message = `${what}. Send "Authorization: Bearer <token>"; the token is in the file http-token of the server's data folder.`;
  return refusal(401, message, { ...hangUp, "www-authenticate": 'Bearer realm="mcp-coordinator"' });
}
