import type { Engine, Sandbox } from "./engine.ts";

/** Keeps sandboxes started ahead of need; each is used once. */
export interface Pool {
  take(): Promise<Sandbox>;
  /** Starts what is missing, or only as many as told. Called when a run has ended, so that starting does not slow the run itself. */
  refill(most?: number): void;
  /** Ends the waiting sandboxes, ready or not; the next take starts one. */
  drain(): Promise<void>;
  /** The same for good: none is started any more. */
  close(): Promise<void>;
}

interface Waiting {
  readonly starting: Promise<Sandbox>;
  readonly giveUp: AbortController;
  isReady: boolean;
}

/** After this long without runs that had to wait for a sandbox together, no more are kept than at the start. */
const calmMs = 10_000;
/** Starting one takes milliseconds of this thread: a growing pool grows by a few with each run. */
const startedAtOnce = 2;

/** `size` sandboxes wait for runs; up to `most` while several runs at a time find none, as those of many clients do. */
export function createPool(engine: Engine, size: number, most = size): Pool {
  let waiting: Waiting[] = [];
  let isClosed = false;
  let wanted = size;
  let withoutOne = 0;
  let lastCrowd = Number.NEGATIVE_INFINITY;
  const grow = (): void => {
    if (withoutOne < 2) return;
    wanted = Math.max(wanted, Math.min(size - 1 + withoutOne, most));
    lastCrowd = performance.now();
  };
  const takeNext = async (): Promise<Sandbox> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const sandbox = await next.starting;
      if (!sandbox.ended) return sandbox;
    }
    return start().starting;
  };
  const start = (): Waiting => {
    const giveUp = new AbortController();
    const starting = engine.start(giveUp.signal);
    const entry: Waiting = { starting, giveUp, isReady: false };
    // Whoever takes it gets the error; one that nobody takes must not end the process.
    starting.then(
      () => {
        entry.isReady = true;
      },
      () => {
        waiting = waiting.filter((other) => other !== entry);
      },
    );
    return entry;
  };
  const pool: Pool = {
    async take() {
      if (waiting[0]?.isReady) return takeNext();
      withoutOne++;
      grow();
      return takeNext().finally(() => withoutOne--);
    },
    refill(only) {
      if (performance.now() - lastCrowd > calmMs) wanted = size;
      const missing = Math.min((only ?? wanted) - waiting.length, Math.max(size, startedAtOnce));
      for (let started = 0; started < missing && !isClosed; started++) waiting.push(start());
    },
    async drain() {
      const ending = waiting;
      waiting = [];
      for (const { giveUp } of ending) giveUp.abort();
      await Promise.allSettled(ending.map(({ starting }) => starting));
    },
    close() {
      isClosed = true;
      return pool.drain();
    },
  };
  return pool;
}
