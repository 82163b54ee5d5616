import type { Patience, Run, ToolName } from "../../actor.ts";
import type { Language } from "../../sandbox/engine.ts";
import { longestTimerMs } from "../../system/longest-timer.ts";
import { createPausableTimers, type PausableTimers } from "../../system/pausable-timers.ts";
import { plural } from "../../system/plural.ts";
import type { Printout } from "../results/printout.ts";
import type { RunPlace } from "./run-place.ts";
import { countStored } from "./stored-data.ts";

/** What a run has done and said so far. */
interface Tally {
  calls: number;
  failed: number;
  /** Those whose value was nothing but an error. */
  suspect: number;
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
  /** What its caller should know of it, each once. */
  readonly notices: readonly string[];
  /** What it has printed in this try. */
  readonly printout: Printout;
  /** Resolves when it goes on for itself, waiting for a person. */
  readonly left: Promise<void>;
  onOtherAct(): void;
  /** Counts what is given to be stored; throws when that is too much. */
  store(bytes: number): void;
  /** For its second try, when what it lacked has been installed. */
  startAgain(): Promise<void>;
}

export interface GuestRunOptions {
  readonly id: string;
  readonly language: Language;
  readonly place: RunPlace | undefined;
  readonly storedMb: number;
  /** How it leaves whoever asked for it, and how it is ended, when it waits for a person too long. */
  readonly patience: Omit<Patience, "during">;
  createPrintout(): Printout;
  onProgress?: ((message: string) => void) | undefined;
}

export function createGuestRun(options: GuestRunOptions): GuestRun {
  const { id, language, place, storedMb, patience, createPrintout, onProgress } = options;
  // Whatever pauses them bounds that itself.
  const timers = createPausableTimers(longestTimerMs);
  let leave = (): void => {};
  const left = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let tally = freshTally();
  let printout = createPrintout();
  let suspects = new Map<string, string>();
  return {
    id,
    language,
    place,
    timers,
    left,
    patience: {
      ...patience,
      get caller() {
        return patience.caller;
      },
      leave(why) {
        leave();
        patience.leave(why);
      },
      async during(work) {
        await timers.pauseDuring(place ? place.forPerson(() => work) : work);
        if (place?.back) void timers.pauseDuring(place.back);
      },
    },
    get tally() {
      return tally;
    },
    get notices() {
      return [...suspects].slice(0, mostNotices).map(([tool, message]) => showSuspect(tool, message));
    },
    get printout() {
      return printout;
    },
    get back() {
      return place?.back;
    },
    onCall({ server, tool }: ToolName) {
      tally.calls++;
      onProgress?.(`${plural(tally.calls, "tool call")}, ${server}.${tool}`);
    },
    onCallFailed() {
      tally.failed++;
    },
    onSuspect({ server, tool }, message) {
      tally.suspect++;
      const name = `${server}.${tool}`;
      if (!suspects.has(name)) suspects.set(name, message);
    },
    onOtherAct() {
      tally.otherActs++;
    },
    store(bytes) {
      tally.stored = countStored(tally.stored, bytes, storedMb);
    },
    async startAgain() {
      await printout.discard();
      printout = createPrintout();
      tally = freshTally();
      suspects = new Map();
    },
  };
}

function freshTally(): Tally {
  return { calls: 0, failed: 0, suspect: 0, otherActs: 0, stored: 0 };
}

const mostNotices = 20;

function showSuspect(tool: string, message: string): string {
  const error = JSON.stringify(message);
  return `${tool} answered with nothing but an error: ${error}. Nothing was thrown: treat the call as failed, unless a look shows otherwise.`;
}
