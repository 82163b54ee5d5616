import type { ServerCapabilities } from "@modelcontextprotocol/client";
import type { Caller, Notification } from "../actor.ts";
import type { ErrorCode } from "../errors.ts";
import type { ServerInfo } from "./connection.ts";

/** A notification of a server; `caller` is whom it tells that, where it was about a call. */
export type OnNotification = (server: string, notification: Notification, caller: Caller | undefined) => void;

export interface ServerDescription {
  readonly info: ServerInfo;
  readonly capabilities: ServerCapabilities;
}

export interface UpstreamState {
  /** `resting`: it has failed, and calls are refused until `retryAt`. */
  readonly state: "idle" | "starting" | "ready" | "failed" | "resting" | "sign_in_needed";
  readonly pid?: number;
  /** When it came into this state, in milliseconds since 1970. */
  readonly since: number;
  /** Why it failed the last time; undefined once it has answered. */
  readonly lastError?: string;
  readonly lastCode?: ErrorCode;
  /** The end of what its process wrote to stderr, without secrets but otherwise as written. */
  readonly stderrTail?: string;
  /** Lines on its stdout that were no messages. */
  readonly skippedLines: number;
  /** Answers to nothing that was asked, or to calls that had ended. */
  readonly strayAnswers: number;
  /** Calls that wait for their turn. */
  readonly waiting: number;
  /** It asks the user during calls, and so serves one client at a time. */
  readonly asks?: true;
  /** Until then calls fail without trying, in milliseconds since 1970. */
  readonly retryAt?: number;
}

/** How servers are and what they tell, for everybody: a way to them it is not. */
export interface UpstreamView {
  /** What the server can do and says of itself; starts it if need be. */
  describe(server: string, options?: { readonly timeoutMs?: number }): Promise<ServerDescription>;
  /** Tells of every notification; the answer ends that. */
  onNotification(listener: OnNotification): () => void;
  state(server: string): UpstreamState;
  /** Another object after each start of the server; undefined while it does not run. */
  connection(server: string): object | undefined;
}
