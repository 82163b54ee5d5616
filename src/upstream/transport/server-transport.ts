import type { Transport } from "@modelcontextprotocol/client";

/** A transport of the SDK that can also say what became of it. */
export interface ServerTransport extends Transport {
  /** Why it is of no more use ("ended with exit code 1"); undefined while it is. */
  readonly end: string | undefined;
  /** Where the server is, when it is not our child process. */
  readonly host?: string;
  /** What the transport saw of a failure that the SDK reports without its cause. */
  readonly failure?: unknown;
  stderrTail(): string;
  /** Ends the server, for a reason to be told; absent where it is not ours to end. */
  giveUp?(words: string): void;
}

/** The message was not written: the server cannot have seen it. Its own message says why, where the transport is well. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
}
