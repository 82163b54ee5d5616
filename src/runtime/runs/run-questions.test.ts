import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Caller } from "../../actor.ts";
import { createPausableTimers } from "../../system/pausable-timers.ts";
import { askedByRun } from "./run-questions.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

const minute = 60_000;

/** A client that thinks for so long about each question. */
function createClient(thinkMs: number) {
  const seen = { asked: 0, open: 0, mostOpen: 0, given: 0 };
  const ask: Caller["ask"] = (_method, _params, options) =>
    new Promise((resolve, reject) => {
      seen.asked++;
      seen.mostOpen = Math.max(seen.mostOpen, ++seen.open);
      options.signal.addEventListener("abort", () => {
        seen.open--;
        reject(options.signal.reason);
      });
      setTimeout(() => {
        seen.open--;
        resolve({ action: "accept" });
      }, thinkMs);
    });
  return { seen, caller: { id: "a", capabilities: { elicitation: {} }, ask } };
}

const ask = (caller: Caller, method: "elicitation/create" | "roots/list" = "elicitation/create") =>
  caller.ask(method, undefined, { signal: new AbortController().signal }).then(
    () => "answered",
    (thrown: Error) => thrown.message,
  );

test("a run asks one question at a time, and few in all", async () => {
  const { seen, caller } = createClient(1000);
  const run = askedByRun(caller, createPausableTimers(), undefined);
  const answers = Promise.all(Array.from({ length: 900 }, () => ask(run)));
  await vi.advanceTimersByTimeAsync(60_000);
  const refused = "this run has asked 10 times already, the most allowed";
  expect(await answers).toEqual([...Array(10).fill("answered"), ...Array(890).fill(refused)]);
  expect(seen).toMatchObject({ asked: 10, mostOpen: 1 });
});

test("roots are asked of no person: they count for nothing", async () => {
  const { caller } = createClient(10);
  const run = askedByRun(caller, createPausableTimers(), undefined);
  const answers = Promise.all(Array.from({ length: 100 }, () => ask(run, "roots/list")));
  await vi.advanceTimersByTimeAsync(10);
  expect(new Set(await answers)).toEqual(new Set(["answered"]));
});

test("a question that nobody answers ends after 5 minutes, and the run's time goes on", async () => {
  const { seen, caller } = createClient(1000 * minute);
  const timers = createPausableTimers();
  const onEnd = vi.fn();
  timers.start(5000, onEnd);
  const answer = ask(askedByRun(caller, timers, undefined));
  await vi.advanceTimersByTimeAsync(5 * minute - 1);
  expect([onEnd.mock.calls.length, seen.open]).toEqual([0, 1]);
  await vi.advanceTimersByTimeAsync(1);
  expect([await answer, seen.open]).toEqual(["no answer came within 5 minutes", 0]);
  await vi.advanceTimersByTimeAsync(5001);
  expect(onEnd).toHaveBeenCalledOnce();
});

test("all its questions together have 30 minutes", async () => {
  const { seen, caller } = createClient(4 * minute);
  const run = askedByRun(caller, createPausableTimers(), undefined);
  const answers = Promise.all(Array.from({ length: 10 }, () => ask(run)));
  await vi.advanceTimersByTimeAsync(40 * minute);
  expect(await answers).toEqual([
    ...Array(7).fill("answered"),
    "no answer came within 2 minutes",
    ...Array(2).fill("this run has waited 30 minutes for answers already"),
  ]);
  expect(seen.asked).toBe(8);
});
