import { setMaxListeners } from "node:events";
import { type IncomingMessage, Agent as PlainAgent, request as plainRequest } from "node:http";
import { Agent as SecureAgent, request as secureRequest } from "node:https";
import { type AnswerGauge, type AnswerTooLargeError, createBodyGauge, createEventGauge } from "./answer-gauge.ts";

const eventStream = "text/event-stream";
const bodiless = new Set([204, 205, 304]);

// Idle sockets are dropped before most servers drop them: a call on a socket that is just being closed is lost.
// Calls have a limit of their own; this one is for what else a server might have us open.
const agentOptions = { keepAlive: true, timeout: 4000, maxSockets: 1024 };
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

export interface QuietInit extends RequestInit {
  /** How long all of it may take; for ever when absent. */
  readonly patienceMs?: number | undefined;
  /** The body is cut off. Whoever reads it is told too, but may not pass on why. */
  readonly onTooLarge?: ((error: AnswerTooLargeError) => void) | undefined;
}

/**
 * Node's `fetch`, but for what a gateway cannot have: its connections do not keep the process alive (an open event
 * stream would do so for ever), it has no hidden timeout of five minutes, it knows whether a request was sent, and a
 * body or event that is too large fails before it can be parsed. It follows no redirects.
 */
export function quietFetch(url: string | URL, init: QuietInit = {}): Promise<Response> {
  return new Promise((resolve, reject) => {
    const target = new URL(url);
    if (init.signal) setMaxListeners(0, init.signal); // one for each request of a transport
    const isSecure = target.protocol === "https:";
    const headers = new Headers(init.headers);
    const request = (isSecure ? secureRequest : plainRequest)(target, {
      method: init.method ?? "GET",
      headers: { "accept-encoding": "identity", ...Object.fromEntries(headers) },
      agent: isSecure ? secureAgent : plainAgent,
      ...(init.signal ? { signal: init.signal } : {}),
    });
    let sent = false;
    request.once("socket", (socket) => {
      socket.unref();
      if (!socket.connecting) sent = true;
      else socket.once(isSecure ? "secureConnect" : "connect", () => (sent = true));
    });
    request.once("response", (incoming) => resolve(responseOf(incoming, { ...init, headers })));
    if (init.patienceMs !== undefined) {
      const late = () => request.destroy(new Error(`no answer within ${(init.patienceMs ?? 0) / 1000} s`));
      const timer = setTimeout(late, init.patienceMs).unref();
      request.once("close", () => clearTimeout(timer));
    }
    request.on("error", (error) => reject(new HttpRequestError(sent, error)));
    request.end(init.body ?? undefined);
  });
}

function responseOf(incoming: IncomingMessage, init: QuietInit & { readonly headers: Headers }): Response {
  const { statusCode: status = 502, statusMessage: statusText = "" } = incoming;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    for (const one of value ?? []) headers.append(name, one);
  }
  const gauge = isEventStream(init, headers) ? createEventGauge() : createBodyGauge();
  if (!bodiless.has(status)) {
    return new Response(bodyOf(incoming, gauge, init.onTooLarge), { status, statusText, headers });
  }
  incoming.resume();
  return new Response(null, { status, statusText, headers });
}

/** Whether events are read from the answer: the SDK does so after each GET for them, whatever the type that came. */
function isEventStream(asked: { method?: string; headers: Headers }, came: Headers): boolean {
  if (!asked.headers.get("accept")?.includes(eventStream)) return false;
  return asked.method !== "POST" || came.get("content-type")?.toLowerCase().startsWith(eventStream) === true;
}

function bodyOf(
  incoming: IncomingMessage,
  gauge: AnswerGauge,
  onTooLarge: QuietInit["onTooLarge"],
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      incoming.on("data", (chunk: Buffer) => {
        const tooLarge = gauge.push(chunk);
        if (tooLarge !== undefined) {
          onTooLarge?.(tooLarge);
          return void incoming.destroy(tooLarge);
        }
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
