import type { RequestOptions, Result, ServerContext } from "@modelcontextprotocol/server";
import type { Caller, Notification } from "../actor.ts";
import { longestTimerMs } from "../system/longest-timer.ts";
import { withPatience } from "../upstream/caller.ts";
import type { Client } from "./client.ts";
import { anything, type Params } from "./raw-server.ts";

/** A request as it comes in. */
export interface Leg {
  readonly method: string;
  readonly params: Params;
  readonly client: Client;
  readonly context: ServerContext;
}

/** What a client wants, over all the requests that belong to it: in 2026-07-28 answers to questions come in further ones. */
export interface ClientRequest extends Omit<Leg, "context"> {
  /** Aborted when the client no longer wants the answer. */
  readonly signal: AbortSignal;
  /** The client, for what servers ask meanwhile. */
  readonly caller: Caller;
  /** How the client wants to be told of progress now; undefined when it does not. */
  readonly progressToken: string | number | undefined;
  /** From which level on the client wants log messages of this request; undefined when it has not said. */
  readonly logLevel: string | undefined;
  /** Tells the client something about the request; it misses what comes when it does not listen. */
  notify(notification: Notification): void;
}

/** How a request is answered. */
export type Work = (request: ClientRequest) => Promise<Result>;

/** Whoever asks has a limit of their own. */
const noTimeout = longestTimerMs;

/** A request of a client before 2026-07-28: it takes questions as requests from us, while its own goes on. */
export function handshakeRequest({ method, params, client, context }: Leg): ClientRequest {
  const { signal, send, _meta: meta } = context.mcpReq;
  const { id, isAnonymous, capabilities, logLevel } = client;
  const notify = (notification: Notification): void => {
    if (reaches(notification, logLevel ?? "debug")) tellAbout(context, notification);
  };
  const caller: Caller = {
    id,
    isAnonymous,
    capabilities: { ...capabilities },
    ask(asked, about, question) {
      const options: RequestOptions = { signal: question.signal, timeout: noTimeout };
      return send(about ? { method: asked, params: withPageId(about) } : { method: asked }, anything, options);
    },
    // A page may be done long after the request.
    notify: (notification) =>
      notification.method === "notifications/elicitation/complete" ? client.tell(notification) : notify(notification),
  };
  const progressToken = meta?.progressToken;
  return { method, params, client, signal, caller: withPatience(caller), progressToken, logLevel, notify };
}

/** Tells a client something about its request; one that has gone misses it. */
export function tellAbout({ mcpReq }: ServerContext, { method, params }: Notification): void {
  mcpReq.notify({ method, ...(params && { params }) }).catch(() => {});
}

/** Tells the client how far its request has come, if it wants to know. */
export function tellProgress({ progressToken, notify }: ClientRequest, progress: object): void {
  if (progressToken === undefined) return;
  notify({ method: "notifications/progress", params: { ...progress, progressToken } });
}

/** These clients want an id with a page to open; servers of 2026-07-28 give none. */
function withPageId(params: Params): Params {
  const lacksId = params["mode"] === "url" && params["elicitationId"] === undefined;
  return lacksId ? { ...params, elicitationId: crypto.randomUUID() } : params;
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Whether a client that wants log messages from that level on gets this; whatever is not a log message it gets. */
export function reaches({ method, params }: Notification, level: string | undefined): boolean {
  if (method !== "notifications/message") return true;
  const from = levels.indexOf(level ?? "");
  return from >= 0 && levels.indexOf(String(params?.["level"])) >= from;
}

/** Answers to requests, by their method. */
export type Handlers = Readonly<Record<string, (request: ClientRequest) => Result | Promise<Result>>>;
