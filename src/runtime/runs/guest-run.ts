import type { Run, ToolName } from "../../actor.ts";
import type { Language } from "../../sandbox/engine.ts";
import { createPausableTimers, type PausableTimers } from "../../system/pausable-timers.ts";
import type { RunPlace } from "./run-place.ts";
import { countStored } from "./stored-data.ts";

/** What a run has done and said so far. */
interface Tally {
  stdout: string;
  stderr: string;
  calls: number;
  failed: number;
  /** Our operations that were not read-only. */
  otherActs: number;
  /** Bytes that were given to be stored. */
  stored: number;
}

/** One execution of a guest: who it is in the journal, its place among others, and what it has done. */
export interface GuestRun extends Run {
  readonly language: Language;
  readonly place: RunPlace | undefined;
  /** The time in which its client is asked something. */
  readonly timers: PausableTimers;
  readonly tally: Readonly<Tally>;
  print(stream: "stdout" | "stderr", text: string): void;
  onOtherAct(): void;
  /** Counts what is given to be stored; throws when that is too much. */
  store(bytes: number): void;
  /** For its second try, when what it lacked has been installed. */
  startAgain(): void;
}

export interface GuestRunOptions {
  readonly id: string;
  readonly language: Language;
  readonly place: RunPlace | undefined;
  readonly storedMb: number;
  onProgress?: ((message: string) => void) | undefined;
}

export function createGuestRun({ id, language, place, storedMb, onProgress }: GuestRunOptions): GuestRun {
  let tally = freshTally();
  return {
    id,
    language,
    place,
    timers: createPausableTimers(),
    get tally() {
      return tally;
    },
    get back() {
      return place?.back;
    },
    onCall({ server, tool }: ToolName) {
      tally.calls++;
      onProgress?.(`${tally.calls} tool calls, ${server}.${tool}`);
    },
    onCallFailed() {
      tally.failed++;
    },
    onOtherAct() {
      tally.otherActs++;
    },
    print(stream, text) {
      tally[stream] += text;
    },
    store(bytes) {
      tally.stored = countStored(tally.stored, bytes, storedMb);
    },
    startAgain() {
      tally = freshTally();
    },
  };
}

function freshTally(): Tally {
  return { stdout: "", stderr: "", calls: 0, failed: 0, otherActs: 0, stored: 0 };
}
