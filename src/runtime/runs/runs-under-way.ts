import { setMaxListeners } from "node:events";
import type { Actor } from "../../actor.ts";
import { waitFor } from "../../system/wait-for.ts";

/** The runs of this process that have not ended, so that others than their client can end them. */
export interface RunsUnderWay {
  /** The same actor, whose signal is aborted by `close` too. */
  untilClose(actor: Actor): Actor;
  /** Answers a signal that is aborted by `cancel`, or with the one given. */
  begin(run: string, signal?: AbortSignal): AbortSignal;
  end(run: string): void;
  /** False when no such run is under way here. */
  cancel(run: string): boolean;
  /** Counts a run until it is over, whether or not somebody waits for it. */
  track(run: Promise<unknown>): void;
  /** Ends them all, and those that wait for their turn; resolves when they are over, or have had time enough. */
  close(): Promise<void>;
}

/** For a run that was aborted to be written down. */
const closingMs = 3000;

export function createRunsUnderWay(): RunsUnderWay {
  const runs = new Map<string, AbortController>();
  const open = new Set<Promise<unknown>>();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener for each run under way
  return {
    untilClose(actor) {
      const signal = actor.signal ? AbortSignal.any([stop.signal, actor.signal]) : stop.signal;
      return { ...actor, signal };
    },
    begin(run, signal) {
      const controller = new AbortController();
      runs.set(run, controller);
      return signal ? AbortSignal.any([controller.signal, signal]) : controller.signal;
    },
    end(run) {
      runs.delete(run);
    },
    cancel(run) {
      const controller = runs.get(run);
      controller?.abort();
      return controller !== undefined;
    },
    track(run) {
      const over: Promise<unknown> = run.then(
        () => open.delete(over),
        () => open.delete(over),
      );
      open.add(over);
    },
    async close() {
      stop.abort();
      await waitFor(Promise.all(open), closingMs);
    },
  };
}
