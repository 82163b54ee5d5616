import { setMaxListeners } from "node:events";
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";

const megabyte = 1024 * 1024;
const largestBody = 68 * megabyte;
const eventEnds = ["\n\n", "\r\n\r\n"];
const bodiless = new Set([204, 205, 304]);

// Idle sockets are dropped before most servers drop them: a call on a socket that is just being closed is lost.
const agentOptions = { keepAlive: true, timeout: 4000 };
const plainAgent = new PlainAgent(agentOptions);
const secureAgent = new SecureAgent(agentOptions);

/** A request that brought no response. */
export class HttpRequestError extends Error {
  override readonly name = "HttpRequestError";
  /** Whether the server may have seen the request. */
  readonly sent: boolean;

  constructor(sent: boolean, cause: Error) {
    super(cause.message, { cause });
    this.sent = sent;
  }
}

/**
 * Node's `fetch`, but for what a gateway cannot have: its connections do not keep the process alive (an open event
 * stream would do so for ever), it has no hidden timeout of five minutes, it knows whether a request was sent, and a
 * body or event above 68 MB fails. It follows no redirects.
 */
export function quietFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    if (init.signal) setMaxListeners(0, init.signal); // one for each request of a transport
    const isSecure = target.protocol === "https:";
    const request = (isSecure ? secureRequest : plainRequest)(target, {
      method: init.method ?? "GET",
      headers: { "accept-encoding": "identity", ...Object.fromEntries(new Headers(init.headers)) },
      agent: isSecure ? secureAgent : plainAgent,
      ...(init.signal ? { signal: init.signal } : {}),
    });
    let sent = false;
    request.once("socket", (socket) => {
      socket.unref();
      if (!socket.connecting) sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (sent = true));
    });
    request.once("response", (incoming) => resolve(responseOf(incoming)));
    request.on("error", (error) => reject(new HttpRequestError(sent, error)));
    request.end(init.body ?? undefined);
  });
}

function responseOf(incoming: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = "" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  if (!bodiless.has(status)) return new Response(bodyOf(incoming), { status, statusText, headers });
  incoming.resume();
  return new Response(null, { status, statusText, headers });
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const isEvents = incoming.headers["content-type"]?.startsWith("text/event-stream") ?? false;
  let bytes = 0;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on("data", (chunk: Buffer) => {
        bytes = isEvents && eventEnds.some((end) => chunk.includes(end)) ? 0 : bytes + chunk.length;
        if (bytes > largestBody)
          return void incoming.destroy(new Error(`more than ${largestBody / megabyte} MB in one answer`));
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) incoming.pause();
      });
      incoming.once("end", () => controller.close());
      incoming.once("error", (error) => controller.error(error));
    },
    pull: () => void incoming.resume(),
    cancel: () => void incoming.destroy(),
  });
}
