import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPace } from "./pace.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const takes = (ms: number) => () => new Promise((done) => setTimeout(done, ms));

test("the first is done at once, those of another key too", () => {
  const done: string[] = [];
  const pace = createPace(async (key) => done.push(key));
  pace("a");
  pace("b");
  expect(done).toEqual(["a", "b"]);
});

test("what is asked for meanwhile is done once, after a rest", async () => {
  const work = vi.fn(async () => {});
  const pace = createPace(work);
  for (let asked = 0; asked < 1000; asked++) pace("a");
  await vi.advanceTimersByTimeAsync(200);
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(work).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(work).toHaveBeenCalledTimes(2);
});

test("work that is asked for without end has a twentieth of the time", async () => {
  const work = vi.fn(takes(1000));
  const pace = createPace(work);
  const asking = setInterval(() => pace("a"), 10);
  await vi.advanceTimersByTimeAsync(100_000);
  clearInterval(asking);
  expect(work.mock.calls.length).toBeLessThanOrEqual(5);
});

test.each([
  ["later", () => Promise.reject(new Error("no answer"))],
  [
    "at once",
    () => {
      throw new Error("no such server");
    },
  ],
])("work that fails %s is done again when it is asked for", async (_when, fail) => {
  const work = vi.fn<() => Promise<never>>(fail);
  const pace = createPace(work);
  pace("a");
  await vi.advanceTimersByTimeAsync(1000);
  pace("a");
  expect(work).toHaveBeenCalledTimes(2);
});
