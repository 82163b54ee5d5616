import type { Run } from "../actor.ts";
import type { Act } from "./act.ts";
import type { Decided } from "./gate.ts";

/** What became of an act: `unknown` is one that may have happened, and must not be done again; `refused` one that the door stopped. */
export type ActOutcome = "ok" | "failed" | "unknown" | "not_sent" | "cancelled" | "refused";

export interface ActEnd {
  readonly outcome: ActOutcome;
  readonly error?: string | undefined;
  readonly resultBytes?: number | undefined;
  readonly milliseconds: number;
}

/** An act as it is written down: its arguments as the bytes that were judged, and their hash. */
interface Recorded extends Act {
  readonly run: Run;
  readonly argsText: string;
  /** SHA-256 of them, in hexadecimal. */
  readonly argsHash: string;
  /** By which rule it may be, or not. */
  readonly decided?: Decided | undefined;
  /** What a person has allowed it by; used up with it. */
  readonly approvals?: readonly string[] | undefined;
}

/** Keeps what passes the door, or was refused there. */
export interface Recorder {
  /** Before anything is sent, and whole when it returns: what it throws, keeps the act from being done. Gives what ends it. */
  intend(act: Recorded): (end: ActEnd) => void;
}
