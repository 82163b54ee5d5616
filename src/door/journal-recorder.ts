import type { ActEnd, Recorder } from "./recorder.ts";

/** The part of the journal that acts are written to. */
export interface ActJournal {
  /** On the disk when it returns; answers the id of the row. */
  intend(row: {
    readonly run: string;
    readonly server: string;
    readonly tool: string;
    readonly args: string;
    readonly argsHash: string;
  }): number;
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
