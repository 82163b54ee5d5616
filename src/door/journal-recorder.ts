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
}

/** The part of the journal that acts are written to. */
export interface ActJournal {
  /** On the disk when it returns; answers the id of the row. */
  intend(row: CallIntent): number;
  settle(row: number, end: ActEnd): void;
}

export function createJournalRecorder(journal: ActJournal): Recorder {
  return {
    intend({ run, server, name, argsText, argsHash }) {
      const row = journal.intend({ run: run.id, server, tool: name, args: argsText, argsHash });
      return (end) => journal.settle(row, end);
    },
  };
}
