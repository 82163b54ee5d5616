import type { Checker } from "../compiled.ts";

/** When none of the checks ends for longer than this, others pass by on another checker. */
const patienceMs = 300;
const mostCheckers = 4;

interface Lane {
  readonly checker: Checker;
  isBusy: boolean;
}

/**
 * One checker for all runs as long as it is quick, which it nearly always is. While it is busy with code that is hard to
 * check, others are started for those who wait, and stopped when nobody does.
 */
export function createSharedChecker(create: () => Checker): Checker {
  let lanes: Lane[] = [{ checker: create(), isBusy: false }];
  const waiting: ((lane: Lane) => void)[] = [];
  let lastEnd = Number.NEGATIVE_INFINITY;

  const take = (): Promise<Lane> | Lane => {
    const free = lanes.find(({ isBusy }) => !isBusy);
    if (free) {
      free.isBusy = true;
      return free;
    }
    return new Promise((resolve) => {
      const passBy = (): void => {
        if (lanes.length >= mostCheckers) return;
        // A long line of quick checks moves on: another checker would only take its time to start.
        const quietMs = performance.now() - lastEnd;
        if (quietMs < patienceMs) {
          timer = setTimeout(passBy, patienceMs - quietMs);
          return;
        }
        waiting.splice(waiting.indexOf(settle), 1);
        const lane = { checker: create(), isBusy: true };
        lanes.push(lane);
        resolve(lane);
      };
      let timer = setTimeout(passBy, patienceMs);
      const settle = (lane: Lane): void => {
        clearTimeout(timer);
        resolve(lane);
      };
      waiting.push(settle);
    });
  };
  const release = (lane: Lane): void => {
    lastEnd = performance.now();
    const next = waiting.shift();
    if (next) return next(lane);
    lane.isBusy = false;
    if (lane === lanes[0]) return;
    lanes = lanes.filter((other) => other !== lane);
    void lane.checker[Symbol.asyncDispose]();
  };
  return {
    async check(...args) {
      const lane = await take();
      try {
        return await lane.checker.check(...args);
      } finally {
        release(lane);
      }
    },
    async stop() {
      await Promise.all(lanes.map(({ checker }) => checker.stop()));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lanes.map(({ checker }) => checker[Symbol.asyncDispose]()));
    },
  };
}
