import { setTimeout as delay } from "node:timers/promises";

/** By then a used sandbox has been replaced, so that a run finds one waiting and nothing else is measured with it. */
const refillMs = 250;

/** The middle value. */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Milliseconds that the work takes. */
export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Milliseconds that the work takes, after a pause. */
export async function timedRested(work) {
  await delay(refillMs);
  return timed(work);
}

/**
 * Runs each contender once a round and gives the samples of each, by name. Taking turns spreads whatever else the
 * machine does over all of them. The first round warms up and does not count.
 */
export async function takeTurns(contenders, rounds) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contender] of Object.entries(contenders)) {
      const sample = await contender();
      if (round > 0) samples[name].push(sample);
    }
  }
  return samples;
}
