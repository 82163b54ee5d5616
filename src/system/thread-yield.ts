import { setImmediate as nextTurn } from "node:timers/promises";

/** For how long one piece of long work may hold the thread, where somebody waits for it. */
const usualStretchMs = 20;

let lastTurn = Promise.resolve();

/**
 * To be awaited between the steps of work whose length others decide: gives the thread to everybody else before the
 * first step, and then whenever the work has had it for a while. However many do such work, between two looks at what
 * has come in only one of them goes on.
 */
export function createThreadYield(stretchMs = usualStretchMs): () => Promise<void> {
  let until = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() < until) return;
    lastTurn = lastTurn.then(() => nextTurn());
    await lastTurn;
    until = performance.now() + stretchMs;
  };
}
