import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, SseError } from "@modelcontextprotocol/client";
import { plainLine, plainText } from "../catalog/plain-text.ts";
import { type ErrorCode, messageOf, systemCode } from "../errors.ts";
import { SignInNeededError, signInCommand, TokenUnavailableError } from "./oauth/sign-in-error.ts";
import type { Redact } from "./redact.ts";
import { textSize } from "./text-size.ts";
import { unread } from "./transport/long-line.ts";
import { HttpRequestError } from "./transport/quiet-fetch.ts";
import { HttpStatusError } from "./transport/server-fetch.ts";
import { NotSentError, type ServerTransport } from "./transport/server-transport.ts";
import { AnswerLostError } from "./transport/streamable-transport.ts";
import { type Delivery, UpstreamError } from "./upstream-error.ts";

const stderrShown = 2000;
const textShown = 2000;
const bodyShown = 300;
/** So much of an error is kept, and of what it carries; the rest would be walked through again and again. */
const mostKept = 100_000;
const lacksCapability = -32021;

/** Failures of a start that are not "it could not be reached"; that the caller gave up is not the server's fault. */
const ownCodes: ReadonlySet<ErrorCode> = new Set(["call_cancelled", "sign_in_needed", "server_untrusted"]);
const untrusted = /CERT|UNABLE_TO_VERIFY/;

/** What is known of the exchange that failed. */
export interface Exchange {
  readonly server: string;
  readonly transport: ServerTransport;
  readonly redact: Redact;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

interface FailedRequest {
  readonly tool: string | undefined;
  /** What it was for, to follow "Cannot". */
  readonly what: string;
  /** Questions of the server that were not answered. */
  readonly refusals: readonly string[];
}

interface Judgement {
  readonly code: ErrorCode;
  readonly delivery: Delivery;
  /** What happened, to follow a colon. */
  readonly why: string;
  readonly hint?: string | undefined;
  readonly rpcCode?: number;
  readonly rpcMessage?: string;
  readonly rpcData?: unknown;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Why a request brought no result. */
export function requestFailure(
  exchange: Exchange,
  thrown: unknown,
  { tool, what, refusals }: FailedRequest,
): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const { code, why, ...rest } = judge(exchange, thrown);
  // A server that was not answered mostly repeats the reason in its own words.
  const unanswered = refusals.filter((refusal) => !why.includes(refusal)).map((refusal) => `\n${refusal}`);
  const message = `Cannot ${what} of upstream ${JSON.stringify(exchange.server)}: ${why}${unanswered.join("")}`;
  return new UpstreamError(code, message, { ...rest, server: exchange.server, tool });
}

/** Why a connection could not be made; nothing that a caller wanted was sent. */
export function startFailure(exchange: Exchange, thrown: unknown): UpstreamError {
  if (thrown instanceof UpstreamError) return thrown;
  const { host } = exchange.transport;
  const { code, why, hint, cause, retryAfterMs } = judge(exchange, thrown);
  const verb = host === undefined ? "start" : "reach";
  const startCode = ownCodes.has(code) ? code : host === undefined ? "server_start_failed" : "server_unreachable";
  const words = code === "call_timeout" ? lastWords(exchange) : "";
  const message = `Cannot ${verb} upstream ${JSON.stringify(exchange.server)}: ${why}${words}`;
  const { server } = exchange;
  return new UpstreamError(startCode, message, { server, delivery: "not_sent", hint, cause, retryAfterMs });
}

/** Why a connection that was ready is no more. */
export function endFailure(exchange: Exchange): UpstreamError {
  const { server, transport } = exchange;
  const message = `Upstream ${JSON.stringify(server)} ${transport.end}${lastWords(exchange)}`;
  return new UpstreamError("server_closed", message, { server, delivery: "not_sent" });
}

/** What the SDK threw, or what stood behind it. */
function causeOf({ transport }: Exchange, thrown: unknown): unknown {
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.EraNegotiationFailed) return thrown.cause ?? thrown;
  return thrown instanceof SseError ? (transport.failure ?? thrown) : thrown;
}

interface HttpAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfterMs?: number | undefined;
  readonly location?: string | undefined;
}

/** The HTTP answer that was not a success, whichever transport met it. */
export function httpAnswer(exchange: Exchange, thrown: unknown): HttpAnswer | undefined {
  const cause = causeOf(exchange, thrown);
  if (cause instanceof SdkHttpError) {
    const { text } = cause.data;
    return { status: cause.status, body: String(text ?? "") };
  }
  return cause instanceof HttpStatusError ? cause : undefined;
}

function judge(exchange: Exchange, thrown: unknown): Judgement {
  const { transport, timeoutMs, signal } = exchange;
  if (thrown instanceof ProtocolError && thrown.data === unread) {
    const hint = "Ask for less at a time: fewer rows or columns, a filter, or page by page.";
    return { code: "call_failed", delivery: "unknown", why: thrown.message, hint };
  }
  if (thrown instanceof ProtocolError) {
    const rpcMessage = exchange.redact(beginning(thrown.message));
    const rpcData = thrown.data === undefined ? undefined : keptData(thrown.data, exchange);
    const text = rpcData === undefined ? rpcMessage : `${rpcMessage} (${JSON.stringify(rpcData)})`;
    const why = `the server answered with error ${thrown.code}: ${plainText(text, textShown)}`;
    const hint =
      thrown.code === lacksCapability ? "The client behind the call cannot do what the server needs." : undefined;
    return { code: "call_failed", delivery: "failed", why, hint, rpcCode: thrown.code, rpcMessage, rpcData };
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) {
    if (signal?.aborted) return { code: "call_cancelled", delivery: "unknown", why: "it was cancelled" };
    return { code: "call_timeout", delivery: "unknown", why: `no answer within ${timeoutMs / 1000} s` };
  }
  const answer = httpAnswer(exchange, thrown);
  if (answer !== undefined) return judgeStatus(exchange, answer);
  const cause = causeOf(exchange, thrown);
  if (cause instanceof SignInNeededError) {
    const hint = `Run: ${signInCommand(exchange.server)}`;
    const why = shown(exchange, cause.message, textShown);
    return { code: "sign_in_needed", delivery: cause.refused ? "failed" : "not_sent", why, hint };
  }
  if (cause instanceof TokenUnavailableError) {
    const why = shown(exchange, cause.message, textShown);
    return { code: "server_unreachable", delivery: "not_sent", why, hint: "Try again later." };
  }
  if (cause instanceof HttpRequestError) return judgeNetwork(exchange, cause);
  if (cause instanceof AnswerLostError) {
    const why = `the connection to ${transport.host} broke before the answer came`;
    return { code: "server_closed", delivery: "unknown", why };
  }
  const delivery = thrown instanceof NotSentError ? "not_sent" : "unknown";
  if (thrown instanceof NotSentError && thrown.message !== "") {
    const hint = "Call again when it has; if it does not read at all, it is ended, and the next call starts it.";
    return { code: "server_busy", delivery, why: thrown.message, hint };
  }
  if (transport.end !== undefined) {
    return { code: "server_closed", delivery, why: `the server ${transport.end}${lastWords(exchange)}` };
  }
  // What the SDK's schemas refuse is listed in `issues`, over pages.
  const isNoMessage = typeof thrown === "object" && thrown !== null && "issues" in thrown;
  const details = isNoMessage ? "it is not a JSON-RPC message" : shown(exchange, messageOf(thrown), textShown);
  return { code: "call_failed", delivery, why: `the answer cannot be used: ${details}` };
}

function judgeStatus(exchange: Exchange, { status, body, retryAfterMs, location }: HttpAnswer): Judgement {
  const { transport, server } = exchange;
  if (location !== undefined) {
    const why = `${transport.host} redirects to ${plainLine(exchange.redact(location), bodyShown)}`;
    const hint = 'Redirects to another host are not followed: if it is right, make it the "url" in the configuration.';
    return { code: "call_failed", delivery: "failed", why, hint };
  }
  const text = bodyText(exchange, body);
  // These three can come from a proxy that has passed the request on.
  const delivery = status === 408 || status === 502 || status === 504 ? "unknown" : "failed";
  const why = `${transport.host} answered HTTP ${status}${text === "" ? "" : `: ${text}`}`;
  if (retryAfterMs === undefined) return { code: "call_failed", delivery, why, hint: statusHint(status, server) };
  const hint = `The server is busy: try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
  return { code: "call_failed", delivery, why, hint, retryAfterMs };
}

function statusHint(status: number, server: string): string | undefined {
  if (status === 401 || status === 403) {
    return `The server wants authorization: set "headers" of ${JSON.stringify(server)} in the configuration, such as { "Authorization": "Bearer …" }.`;
  }
  if (status === 404 || status === 405) {
    return 'If the server was restarted, call again: a new session is opened. Otherwise check "url" in the configuration.';
  }
  if (status === 429 || status === 503) return "The server is busy: try again later.";
  return undefined;
}

function judgeNetwork(exchange: Exchange, error: HttpRequestError): Judgement {
  if (!error.sent && untrusted.test(systemCode(error.cause) ?? "")) {
    const why = `${exchange.transport.host} has no certificate that can be trusted: ${shown(exchange, error.message, bodyShown)}`;
    const hint = "Nothing was sent. If a company's own authority signs it, set NODE_EXTRA_CA_CERTS to its file.";
    return { code: "server_untrusted", delivery: "not_sent", why, hint, cause: error.cause };
  }
  return {
    code: "server_unreachable",
    delivery: error.sent ? "unknown" : "not_sent",
    why: `${exchange.transport.host}: ${shown(exchange, error.message, bodyShown)}`,
    hint: error.sent ? undefined : 'Check that the server is running and that "url" in the configuration is right.',
    cause: error.cause,
  };
}

function lastWords({ transport, redact }: Exchange): string {
  const stderr = redact(transport.stderrTail()).trim().slice(-stderrShown);
  return stderr === "" ? "" : `. The last it wrote to stderr:\n${plainText(stderr, stderrShown)}`;
}

function bodyText(exchange: Exchange, body: string): string {
  const text = jsonRpcError(body)?.message ?? body;
  return text.trimStart().startsWith("<") ? "" : plainLine(exchange.redact(beginning(text)), bodyShown);
}

/** What an error carries, without secrets; a note where that is too much. */
function keptData(data: unknown, { redact }: Exchange): unknown {
  if (textSize(data, mostKept) > mostKept) return `left out: more than ${mostKept} characters of data`;
  return JSON.parse(JSON.stringify(data), (_key, value) => (typeof value === "string" ? redact(value) : value));
}

function beginning(text: string): string {
  return text.length > mostKept ? `${text.slice(0, mostKept)}…` : text;
}

/** Text of the server, without its secrets and without what a terminal would obey. */
function shown({ redact }: Exchange, text: string, maxLength: number): string {
  return plainText(redact(beginning(text)), maxLength);
}

/** The JSON-RPC error in the body of an HTTP error, if there is one. */
export function jsonRpcError(body: string): { code: number; message: string } | undefined {
  try {
    const { code, message } = JSON.parse(body).error;
    return typeof code === "number" ? { code, message: String(message) } : undefined;
  } catch {
    // Mostly a page or a plain sentence.
    return undefined;
  }
}
