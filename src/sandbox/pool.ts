import type { Engine, Sandbox } from "./engine.ts";

/** Keeps sandboxes of an engine started ahead of need, as many as it says, but one until the first is taken; each is used once. */
export interface Pool {
  take(): Promise<Sandbox>;
  /** Starts what is missing. Called when no run is under way, so that starting does not slow it. */
  refill(): void;
  /** Ends the waiting sandboxes, ready or not; the next take starts one. */
  drain(): Promise<void>;
  /** The same for good: none is started any more. */
  close(): Promise<void>;
}

interface Waiting {
  readonly starting: Promise<Sandbox>;
  readonly giveUp: AbortController;
}

export function createPool(engine: Pick<Engine, "start" | "waiting">): Pool {
  let waiting: Waiting[] = [];
  let isClosed = false;
  let isUsed = false;
  const start = (): Waiting => {
    const giveUp = new AbortController();
    const starting = engine.start(giveUp.signal);
    // Whoever takes it gets the error; one that nobody takes must not end the process.
    starting.catch(() => {
      waiting = waiting.filter((other) => other.starting !== starting);
    });
    return { starting, giveUp };
  };
  const pool: Pool = {
    async take() {
      isUsed = true;
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const sandbox = await next.starting;
        if (!sandbox.ended) return sandbox;
      }
      return start().starting;
    },
    refill() {
      const most = isUsed ? engine.waiting : 1;
      while (!isClosed && waiting.length < most) waiting.push(start());
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
