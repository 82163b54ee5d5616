import type { Caller } from "../../actor.ts";
import type { PausableTimers } from "../../system/pausable-timers.ts";
import { answerMs, isForPerson, withPatience } from "../../upstream/caller.ts";
import type { RunPlace } from "./run-place.ts";

/** What its servers ask and what we ask, together. Clients of 2026-07-28 come back for as many and then give up. */
const mostQuestions = 10;
/** How long a run waits for all its answers. */
const longestWaitMs = 30 * 60_000;

/**
 * The client as one run may ask it: one question at a time and few in all. While it waits for an answer its time stands
 * still, and another run may have its place.
 */
export function askedByRun(caller: Caller, timers: PausableTimers, place: RunPlace | undefined): Caller {
  let asked = 0;
  let waitedMs = 0;
  let last: Promise<unknown> = Promise.resolve();

  const ask: Caller["ask"] = async (method, params, options) => {
    options.signal.throwIfAborted();
    const patienceMs = Math.min(answerMs, longestWaitMs - waitedMs);
    if (patienceMs <= 0) throw new Error(`this run has waited ${longestWaitMs / 60_000} minutes for answers already`);
    const began = performance.now();
    try {
      return await withPatience(caller, patienceMs).ask(method, params, options);
    } finally {
      waitedMs += performance.now() - began;
    }
  };
  return {
    ...caller,
    get capabilities() {
      return caller.capabilities;
    },
    async ask(method, params, options) {
      if (!isForPerson(method)) return caller.ask(method, params, options);
      if (++asked > mostQuestions)
        throw new Error(`this run has asked ${mostQuestions} times already, the most allowed`);
      const work = () => ask(method, params, options);
      const answer = last.then(() => (place ? place.forPerson(work) : work()));
      last = answer.catch(() => {});
      try {
        return await timers.pauseDuring(answer);
      } finally {
        // Whoever asked goes on at once; the guest does when the run has its place again.
        if (place?.back) void timers.pauseDuring(place.back);
      }
    },
  };
}
