import { once } from "node:events";
import { createServer, type IncomingMessage, request as requestOver, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { canonicalHost } from "../../config/allowed-host.ts";
import { dialAllowed, portOf } from "../egress/dial.ts";
import { isPublicAddress } from "../egress/public-address.ts";
import { type IndexLogin, passOnSignedIn } from "./index-login.ts";

/** A host and port that an installer may reach. */
export interface Reachable {
  readonly host: string;
  readonly port: number;
  /** Whether the user or the installer itself has named it: then it may have a private or local address. */
  readonly isTrusted: boolean;
  /** For an index with a password. */
  readonly login?: IndexLogin;
}

/** The place of an http or https URL. */
export function placeAt(url: URL, isTrusted: boolean): Reachable {
  return { host: url.hostname, port: portOf(url), isTrusted };
}

/** An HTTP proxy on a Unix socket that leads to a few places and nowhere else. */
export interface IndexProxy {
  /** Places that were asked for and refused, as `host:port`. */
  readonly refused: readonly string[];
  /** Why places that may be reached could not be. */
  readonly failures: readonly string[];
  close(): Promise<void>;
}

const mostConnections = 64;
const mostRefusals = 8;
const connectMs = 30_000;

export async function openIndexProxy(path: string, reachable: readonly Reachable[]): Promise<IndexProxy> {
  const places = new Map<string, Reachable>();
  for (const place of reachable) {
    const key = `${canonicalHost(place.host)}:${place.port}`;
    if (!places.get(key)?.login) places.set(key, place);
  }
  const refused = new Set<string>();
  const failures = new Set<string>();
  const open = new Set<Duplex>();
  const stop = new AbortController();

  const dial = async (url: URL): Promise<Socket> => {
    const place = placeOf(url);
    const known = places.get(place);
    if (!known && refused.size < mostRefusals) refused.add(place);
    const isPublic = known?.isTrusted ? () => true : isPublicAddress;
    try {
      const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(connectMs)]);
      const socket = await dialAllowed(() => known !== undefined, { isPublic })(url, signal);
      return keep(socket);
    } catch (thrown) {
      if (known && failures.size < mostRefusals) failures.add(thrown instanceof Error ? thrown.message : place);
      throw thrown;
    }
  };
  const keep = <Stream extends Duplex>(stream: Stream): Stream => {
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    stream.on("error", () => stream.destroy());
    return stream;
  };

  const server = createServer((request, response) => {
    passOn(request, response, dial, (url) => places.get(placeOf(url))?.login).catch(() => {
      if (response.headersSent) response.destroy();
      else response.writeHead(403).end();
    });
  });
  server.on("connect", (request: IncomingMessage, inner: Duplex, head: Buffer) => {
    tunnel(request.url ?? "", keep(inner), head, dial).catch(() => inner.end("HTTP/1.1 403 Forbidden\r\n\r\n"));
  });
  server.on("connection", keep);
  server.maxConnections = mostConnections;
  server.listen(path);
  await once(server, "listening");
  return {
    get refused() {
      return [...refused];
    },
    get failures() {
      return [...failures];
    },
    async close() {
      stop.abort();
      for (const stream of open) stream.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** `CONNECT host:port`: bytes both ways, encrypted by those who talk. */
async function tunnel(target: string, inner: Duplex, head: Buffer, dial: (url: URL) => Promise<Socket>): Promise<void> {
  if (!/^[^/?#@\s]+:\d+$/.test(target)) throw new RangeError("not a host and a port");
  const outer = await dial(new URL(`https://${target}`));
  inner.write("HTTP/1.1 200 Connection established\r\n\r\n");
  if (head.length > 0) outer.write(head);
  inner.once("close", () => outer.destroy());
  outer.once("close", () => inner.destroy());
  inner.pipe(outer);
  outer.pipe(inner);
}

/** `GET http://host/path`, for an index without encryption, or one at which the host signs in. */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  dial: (url: URL) => Promise<Socket>,
  loginAt: (url: URL) => IndexLogin | undefined,
): Promise<void> {
  const url = new URL(request.url ?? "");
  if (url.protocol !== "http:") throw new RangeError("only http comes this way");
  const login = loginAt(url);
  if (login) return passOnSignedIn(request, response, login, () => dial(url));
  const socket = await dial(url);
  const { "proxy-connection": _hop, connection: _other, ...headers } = request.headers;
  const outgoing = requestOver({
    createConnection: () => socket,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, connection: "close" },
  });
  outgoing.once("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on("error", () => response.destroy());
  response.once("close", () => socket.destroy());
  request.pipe(outgoing);
}

function placeOf(url: URL): string {
  return `${canonicalHost(url.hostname) ?? "?"}:${portOf(url)}`;
}
