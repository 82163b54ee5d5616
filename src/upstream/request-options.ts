import type { Progress } from "@modelcontextprotocol/client";
import type { Caller } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";

export interface RequestOptions {
  readonly timeoutMs: number;
  /** How much of that time is gone already. */
  readonly elapsedMs?: number | undefined;
  readonly tool?: string | undefined;
  /** What is asked for, in words that follow "Cannot"; by the tool when absent. */
  readonly what?: string | undefined;
  /** The client behind the request; absent where nobody can be asked. */
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** A request in the protocol's own words. */
export interface RawRequest {
  readonly method: string;
  readonly params?: Record<string, unknown> | undefined;
  /** The tool that it calls. */
  readonly tool?: string | undefined;
  /** What else it is for, to follow "Cannot". */
  readonly what?: string | undefined;
}

export interface CallOptions extends Pick<RequestOptions, "signal" | "caller" | "onProgress"> {
  /** For this call; progress does not extend it. */
  readonly timeoutMs?: number | undefined;
  /** The arguments as JSON, where that has been written already. */
  readonly argsText?: string | undefined;
  /** Whose turn it takes at a busy server; that of the caller when absent. */
  readonly turn?: string | undefined;
}

/** What is asked for, to follow "Cannot". */
export function whatOf({ tool, what }: RequestOptions): string {
  return what ?? (tool === undefined ? "list the tools" : `call ${JSON.stringify(plainLine(tool, 100))}`);
}

/** How long the server has for its answer, counted from now. */
export function timeLeft({ timeoutMs, elapsedMs = 0 }: RequestOptions): number {
  return Math.max(1, Math.ceil(timeoutMs - elapsedMs));
}
