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

/** What is asked for, to follow "Cannot". */
export function whatOf({ tool, what }: RequestOptions): string {
  return what ?? (tool === undefined ? "list the tools" : `call ${JSON.stringify(plainLine(tool, 100))}`);
}

/** How long the server has for its answer, counted from now. */
export function timeLeft({ timeoutMs, elapsedMs = 0 }: RequestOptions): number {
  return Math.max(1, Math.ceil(timeoutMs - elapsedMs));
}
