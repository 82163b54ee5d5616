import { once } from "node:events";
import { type IncomingMessage, request as startRequest } from "node:http";
import { isIP, type Socket } from "node:net";
import { connect as connectSecurely } from "node:tls";
import { canonicalHost } from "../../config/allowed-host.ts";
import { codingsOf, readBody } from "./body.ts";
import { reasonOf, requestFailed } from "./network-error.ts";

/** One request as it goes over the wire: nothing in it is left to check. */
export interface Outgoing {
  readonly method: string;
  readonly headers: Headers;
  readonly body: Uint8Array | undefined;
}

export interface Incoming {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Reads the body to its end, decompressed; headers that no longer fit it are left out. */
  body(): Promise<Buffer>;
}

const maxHeaderBytes = 64 * 1024;
/** They are about the connection that ends here, or about the body before it was unpacked. */
const connectionHeaders = ["connection", "keep-alive", "transfer-encoding"];
const packedHeaders = ["content-encoding", "content-length"];

/** Sends a request over a connected socket and waits for the head of the answer. The signal ends both. */
export async function sendRequest(
  socket: Socket,
  url: URL,
  outgoing: Outgoing,
  options: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<Incoming> {
  const host = canonicalHost(url.hostname) ?? url.hostname;
  const stream = url.protocol === "https:" ? secure(socket, host, options) : Promise.resolve(socket);
  const response = await stream
    .then((ready) => send(ready, url, outgoing, options.signal))
    .catch((thrown) => {
      options.signal.throwIfAborted();
      throw requestFailed(host, reasonOf(thrown));
    });
  return incomingOf(response, host, outgoing.method);
}

async function secure(
  socket: Socket,
  host: string,
  { ca, signal }: { readonly ca: string | undefined; readonly signal: AbortSignal },
): Promise<Socket> {
  const secured = connectSecurely({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ALPNProtocols: ["http/1.1"],
    // Said although it is the default: the environment can change that one.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  });
  secured.on("error", () => {}); // the socket's user notices by its end
  await once(secured, "secureConnect", { signal });
  return secured;
}

function send(stream: Socket, url: URL, { method, headers, body }: Outgoing, signal: AbortSignal) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = startRequest({
      createConnection: () => stream,
      method,
      path: `${url.pathname}${url.search}`,
      headers: Object.fromEntries(headers),
      maxHeaderSize: maxHeaderBytes,
      insecureHTTPParser: false,
      signal,
    });
    request.on("error", reject);
    request.once("response", resolve);
    // Also the end of one that the server would have turned into another protocol.
    request.once("close", () => reject(new Error("no response")));
    request.end(body);
  });
}

function incomingOf(response: IncomingMessage, host: string, method: string): Incoming {
  response.on("error", () => {}); // reading the body tells
  const { statusCode: status = 0, statusMessage = "", rawHeaders } = response;
  if (status < 200 || status > 599) {
    response.destroy();
    throw requestFailed(host, `it answered with the status ${status}`);
  }
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1] ?? ""] as const] : [],
  );
  const isBodiless = method === "HEAD" || status === 204 || status === 205 || status === 304;
  const codings = codingsOf(response.headers["content-encoding"]);
  const dropped = codings.length > 0 && !isBodiless ? [...connectionHeaders, ...packedHeaders] : connectionHeaders;
  return {
    status,
    statusText: /^[\t\x20-\x7e]{0,200}$/.test(statusMessage) ? statusMessage : "",
    headers: pairs.filter(([name]) => !dropped.includes(name)),
    body: () => (isBodiless ? discard(response) : readBody(response, codings, host)),
  };
}

async function discard(response: IncomingMessage): Promise<Buffer> {
  response.destroy();
  return Buffer.alloc(0);
}
