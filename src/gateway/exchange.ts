import type { Notification, RequestOptions, Server, ServerContext } from "@modelcontextprotocol/server";
import type { Caller, Client } from "../actor.ts";
import { withPatience } from "../upstream/caller.ts";
import { anything } from "./raw-server.ts";

/** One request of a client, over all the messages that belong to it. */
export interface Exchange {
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

// Whoever asks has a limit of his own; Node's timers hold no more than this.
const noTimeout = 2 ** 31 - 1;

/** An exchange with a client before 2026-07-28: it takes questions as requests of ours, while its own goes on. */
export function handshakeExchange(
  server: Server,
  { mcpReq }: ServerContext,
  { who, logLevel }: { readonly who: Client; readonly logLevel: string | undefined },
): Exchange {
  const notify = (notification: Notification): void => {
    if (!reaches(notification, logLevel ?? "debug")) return;
    mcpReq.notify(notification).catch(() => {}); // the client has gone
  };
  return {
    signal: mcpReq.signal,
    progressToken: mcpReq._meta?.progressToken,
    logLevel,
    notify,
    caller: withPatience({
      ...who,
      capabilities: { ...server.getClientCapabilities() },
      ask(method, params, { signal }) {
        const options: RequestOptions = { signal, timeout: noTimeout };
        return mcpReq.send(params ? { method, params: withPageId(params) } : { method }, anything, options);
      },
      // A page may be done long after the request.
      notify: ({ method, params }) =>
        method === "notifications/elicitation/complete"
          ? void server.notification({ method, ...(params && { params }) }).catch(() => {})
          : notify({ method, ...(params && { params }) }),
    }),
  };
}

/** These clients want an id with a page to open; servers of 2026-07-28 give none. */
function withPageId(params: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const lacksId = params["mode"] === "url" && params["elicitationId"] === undefined;
  return lacksId ? { ...params, elicitationId: crypto.randomUUID() } : params;
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Whether a notification is no log message, or one of that level or above. */
export function reaches({ method, params }: Notification, level: string | undefined): boolean {
  if (method !== "notifications/message") return true;
  const from = levels.indexOf(level ?? "");
  return from >= 0 && levels.indexOf(String(params?.["level"])) >= from;
}
