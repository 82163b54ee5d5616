import type { Decided } from "./gate.ts";
import type { ActJournal } from "./journal-recorder.ts";
import type { ActOutcome } from "./recorder.ts";
import type { RunLog } from "./run-log.ts";

export interface RunSummary {
  readonly id: string;
  readonly language: string;
  readonly engine: string;
  readonly client?: string;
  /** By which face it came; absent in what an older program has recorded. */
  readonly via?: string;
  /** How the run ended; `running` before that; `lost` if its process died before that. */
  readonly status: string;
  readonly error?: string;
  readonly startedAt: number;
  readonly finishedAt?: number;
  /** How many tool calls the run made. */
  readonly calls: number;
  readonly resultBytes?: number;
  readonly stdoutBytes?: number;
}

export interface RunDetail extends RunSummary {
  readonly code: string;
  readonly toolCalls: readonly RecordedCall[];
}

export interface RecordedCall {
  readonly id: number;
  readonly server: string;
  readonly tool: string;
  /** JSON, the beginning of it where it is long; `callArgs` has it whole. */
  readonly args: string;
  /** SHA-256 of it as RFC 8785 writes it; what was recorded before there was one has none. */
  readonly argsHash?: string;
  /** What it is, where it is not a tool call. */
  readonly kind?: string;
  /** What was decided of it; absent where no rule had anything to say. */
  readonly decided?: Decided;
  readonly startedAt: number;
  /** `unknown` too if the run is over and no outcome was written. */
  readonly outcome: ActOutcome | "running";
  readonly error?: string;
  readonly resultBytes?: number;
  readonly milliseconds?: number;
}

/** The durable record of runs and of what passed the door in them, of one owner. */
export interface Journal extends RunLog, ActJournal {
  /** Newest first; `before` is the id of a run, to page on. */
  listRuns(page: { readonly limit: number; readonly before?: string | undefined }): Promise<RunSummary[]>;
  /** Throws storage_unavailable when its row cannot be read. */
  getRun(id: string): Promise<RunDetail | undefined>;
  /** What a call was given, whole; undefined when there is no such call. */
  callArgs(call: number): Promise<string | undefined>;
  /** What came of a run that has ended, as JSON, where it was kept. */
  answerOf(run: string): Promise<string | undefined>;
  /** Whether a run goes on, here or in another process. */
  isUnderWay(id: string): Promise<boolean>;
}

/** Whether a stored number is a moment that a date can show. */
export function isMoment(stored: unknown): stored is number {
  return typeof stored === "number" && Math.abs(stored) <= 8.64e15;
}

/** Whether its times are such; lists have it all the same, so that it is known. */
export function isReadable({ startedAt, finishedAt }: RunSummary): boolean {
  return isMoment(startedAt) && (finishedAt === undefined || isMoment(finishedAt));
}
