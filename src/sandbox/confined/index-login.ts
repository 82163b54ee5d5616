import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { request as requestPlainly } from "node:http";
import { request as requestSecurely } from "node:https";
import type { Socket } from "node:net";
import { rootCertificates, connect as speakTls } from "node:tls";
import { certificateFiles } from "../../config/certificates.ts";
import { readFileWithinSync } from "../../system/read-file.ts";
import { readWithin } from "../egress/body.ts";

/**
 * How the host signs in at an index for an installer. The installer asks without encryption and without a password, so
 * that no code in its sandbox can find one; both are added on the way.
 */
export interface IndexLogin {
  /** Where the index really is, without a path. */
  readonly origin: string;
  readonly authorization: string;
}

/** An index as its installer is told, and how the host signs in there; nothing to do for one without a password. */
export function splitLogin(address: string): { readonly url: string; readonly login?: IndexLogin } {
  const url = new URL(address);
  if (url.username === "" && url.password === "") return { url: address };
  const words = [url.username, url.password].map(decodeURIComponent).join(":");
  const { origin, pathname, search } = url;
  return {
    url: `${plainOrigin(origin)}${pathname}${search}`,
    login: { origin, authorization: `Basic ${Buffer.from(words).toString("base64")}` },
  };
}

const mostPageBytes = 64 * 1024 * 1024;

/** Answers a request for a place with a login, over a connection to it. Reading only: the rest of what the password opens stays closed. */
export async function passOnSignedIn(
  request: IncomingMessage,
  response: ServerResponse,
  { origin, authorization }: IndexLogin,
  dial: () => Promise<Socket>,
): Promise<void> {
  if (request.method !== "GET" && request.method !== "HEAD") throw new RangeError("an index is only read");
  const { pathname, search } = new URL(request.url ?? "");
  const url = new URL(`${origin}${pathname}${search}`);
  const socket = await dial();
  const send = url.protocol === "https:" ? requestSecurely : requestPlainly;
  const createConnection = () => (url.protocol === "https:" ? secure(socket, url.hostname) : socket);
  // Pages are read here: nobody may pack them.
  const headers = { ...passedOn(request.headers), authorization, "accept-encoding": "identity", connection: "close" };
  const outgoing = send({
    createConnection,
    method: request.method,
    path: `${pathname}${search}`,
    headers: { ...headers, host: url.host },
  });
  response.once("close", () => socket.destroy());
  outgoing.on("error", () => response.destroy());
  outgoing.once("response", (answer) => {
    answerWithoutOrigin(answer, response, origin).catch(() => response.destroy());
  });
  outgoing.end();
}

/** What an index names by its own address is to be asked for the same way: through here. */
async function answerWithoutOrigin(answer: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
  const {
    "set-cookie": _session,
    "www-authenticate": _question,
    "content-length": length,
    location,
    ...rest
  } = answer.headers;
  const headers = { ...rest, ...(location !== undefined && { location: plainly(location, origin) }) };
  const status = answer.statusCode ?? 502;
  if (!/^(text\/html|application\/([\w.+-]*\+)?(json|html))\b/i.test(answer.headers["content-type"] ?? "")) {
    response.writeHead(status, { ...headers, ...(length !== undefined && { "content-length": length }) });
    answer.pipe(response);
    return;
  }
  const page = await readWithin(answer, mostPageBytes);
  if (!page) throw new RangeError("the page is too long");
  response.writeHead(status, headers).end(plainly(page.toString("utf8"), origin));
}

/** A text in which the origin stands as the installer knows it. */
function plainly(text: string, origin: string): string {
  return text.replaceAll(`${origin}/`, `${plainOrigin(origin)}/`);
}

function plainOrigin(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  return protocol === "https:" ? `http://${hostname}:${port || 443}` : origin;
}

function passedOn(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const {
    "proxy-connection": _hop,
    "proxy-authorization": _door,
    authorization: _own,
    cookie: _cookie,
    ...rest
  } = headers;
  return rest;
}

const certificateLimits = {
  most: 16_000_000,
  code: "install_failed",
  hint: "Name a file of certificates in the variable.",
} as const;

function readCertificates(path: string): string {
  return readFileWithinSync(path, certificateLimits).toString("utf8");
}

function secure(socket: Socket, hostname: string): Socket {
  const ca = [...rootCertificates, ...[...certificateFiles().values()].map(readCertificates)];
  return speakTls({ socket, servername: hostname, ca, ALPNProtocols: ["http/1.1"] });
}
