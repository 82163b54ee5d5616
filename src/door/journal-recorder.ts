import type { ActKind } from "./act.ts";
import type { Decided } from "./gate.ts";
import type { ActEnd, Recorder } from "./recorder.ts";

/** An act that is about to be done. */
export interface CallIntent {
  readonly run: string;
  readonly server: string;
  readonly tool: string;
  /** JSON, in the one form that RFC 8785 gives it. */
  readonly args: string;
  /** SHA-256 of it. */
  readonly argsHash: string;
  /** What it is, where it is not a tool call. */
  readonly kind?: Exclude<ActKind, "tool"> | undefined;
  readonly decided?: Decided | undefined;
  readonly approvals?: readonly string[] | undefined;
}

/** The part of the journal that acts are written to. */
export interface ActJournal {
  /**
   * On the disk when it returns, with the approvals used up in the same moment: throws when one of them is not there to be used.
   * Answers the id of the row.
   */
  intend(row: CallIntent): number;
  settle(row: number, end: ActEnd): void;
}

export function createJournalRecorder(journal: ActJournal): Recorder {
  return {
    intend({ kind, run, server, name, argsText: args, argsHash, decided, approvals }) {
      const other = kind === "tool" ? undefined : kind;
      const row = journal.intend({ run: run.id, server, tool: name, args, argsHash, kind: other, decided, approvals });
      return (end) => journal.settle(row, end);
    },
  };
}
