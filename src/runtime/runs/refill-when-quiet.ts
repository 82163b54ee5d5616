import type { Pool } from "../../sandbox/pool.ts";

/** Starts the sandboxes of later runs when no run is under way: starting processes takes a core for a while. */
export interface Refills {
  /** Does the work of a run. */
  during<T>(run: () => Promise<T>): Promise<T>;
  /** What the run has taken from the pool is put back when it is quiet, or after 100 ms at the latest. */
  ask(pool: Pool): void;
}

/** The answer goes first, and a client that has waited for it may ask again at once. */
const restMs = 15;
const longestMs = 100;

export function createRefills(): Refills {
  const pools = new Set<Pool>();
  let underWay = 0;
  let quiet: NodeJS.Timeout | undefined;
  let latest: NodeJS.Timeout | undefined;
  const refill = (): void => {
    clearTimeout(quiet);
    clearTimeout(latest);
    latest = undefined;
    for (const pool of pools) pool.refill();
    pools.clear();
  };
  return {
    async during(run) {
      underWay++;
      clearTimeout(quiet);
      try {
        return await run();
      } finally {
        underWay--;
        if (underWay === 0 && pools.size > 0) quiet = setTimeout(refill, restMs).unref();
      }
    },
    ask(pool) {
      pools.add(pool);
      latest ??= setTimeout(refill, longestMs).unref();
    },
  };
}
