import { setTimeout as delay } from "node:timers/promises";

/** Pings one after another until it is stopped, and knows how long each had to wait. */
export interface Pinger {
  /** How many were answered. */
  readonly count: number;
  /**
   * The longest wait since the last call of this, in milliseconds, that of one that still waits included. What counts is
   * the time in which the gateway was at work: on a busy machine others are at work as well, which is not its fault.
   */
  takeSlowest(): number;
  /** Resolves when a ping that began after this call was answered. */
  answered(): Promise<"answered">;
  /** Resolves when a ping waits for so long while the gateway is at work, or for much longer whatever it does. */
  hung(): Promise<"hung">;
  stop(): void;
}

const betweenMs = 10;
/** With less work than this a gateway does not hang: others keep the machine busy. */
const leastWorkMs = 1000;

export interface PingOptions {
  ping(): Promise<unknown>;
  /** The time that the gateway's thread has worked in all. */
  workMs(): number;
  /** For how long a ping may wait until the gateway counts as hanging. */
  readonly hangMs: number;
}

export function startPinging({ ping, workMs, hangMs }: PingOptions): Pinger {
  let isStopped = false;
  let count = 0;
  let slowest = 0;
  let began: { at: number; workMs: number } | undefined;
  const waited = (from: { at: number; workMs: number }) =>
    Math.min(performance.now() - from.at, workMs() - from.workMs);
  let waiting: { since: number; done: () => void }[] = [];
  const loop = async (): Promise<void> => {
    while (!isStopped) {
      const start = { at: performance.now(), workMs: workMs() };
      began = start;
      await ping();
      began = undefined;
      count++;
      slowest = Math.max(slowest, waited(start));
      for (const { since, done } of waiting) if (since <= start.at) done();
      waiting = waiting.filter(({ since }) => since > start.at);
      await delay(betweenMs);
    }
  };
  // A gateway that is gone answers nothing more: that shows as a ping without an end.
  loop().catch(() => {});
  return {
    get count() {
      return count;
    },
    takeSlowest() {
      const taken = Math.max(slowest, began === undefined ? 0 : waited(began));
      slowest = 0;
      return taken;
    },
    answered: () =>
      new Promise((resolve) => waiting.push({ since: performance.now(), done: () => resolve("answered") })),
    async hung() {
      while (!isStopped) {
        await delay(100);
        if (began === undefined) continue;
        const passed = performance.now() - began.at;
        if (passed > 6 * hangMs || (passed > hangMs && workMs() - began.workMs > leastWorkMs)) break;
      }
      return "hung";
    },
    stop() {
      isStopped = true;
    },
  };
}
