import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";

/** By then a used sandbox has been replaced, so that a run finds one waiting and nothing else is measured with it. */
const refillMs = 250;

const { values: options } = parseArgs({ options: { rounds: { type: "string" } }, strict: false });

/** How often each contender's turn comes: what `--rounds` says, else the script's own number. */
export function roundsOr(usual) {
  const rounds = Number(options.rounds ?? usual);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error("--rounds takes a whole number above 0");
  return rounds;
}

/** The middle value. */
export function median(values) {
  return quantile(values, 0.5);
}

/** The value that this share of all lies below. */
export function quantile(values, share) {
  const sorted = [...values].sort((left, right) => left - right);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low + (high - low) * (place - Math.floor(place));
}

/** Two lists of samples compared round by round: the middle of the ratios, and between which values half of them lie. */
export function ratioOf(ours, floor) {
  const ratios = ours.map((value, round) => value / floor[round]);
  return { middle: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75) };
}

/** Milliseconds that the work takes. */
export async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Milliseconds that the work takes, after a pause. */
export async function timedRested(work) {
  await rest();
  return timed(work);
}

export function rest() {
  return delay(refillMs);
}

/**
 * Runs each contender once a round and gives the samples of each, by name. Taking turns spreads whatever else the
 * machine does over all of them; the order changes, so that none always comes after the same other. The first round
 * warms up and does not count.
 */
export async function takeTurns(contenders, rounds) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const name of orderOf(names, round)) {
      const sample = await contenders[name]();
      if (round > 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** Another one begins each round, and every second round goes backwards. */
function orderOf(names, round) {
  const first = round % names.length;
  const order = [...names.slice(first), ...names.slice(0, first)];
  return round % 2 === 0 ? order : order.reverse();
}
