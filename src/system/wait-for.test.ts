import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { waitFor } from "./wait-for.ts";

const never = new Promise<never>(() => {});

test("what comes in time is given", async () => {
  expect(await waitFor(Promise.resolve(1), 10_000, new AbortController().signal)).toEqual({ value: 1 });
});

test("what fails in time fails", async () => {
  await expect(waitFor(Promise.reject(new Error("no")), 10_000)).rejects.toThrow("no");
});

test("what does not come is late", async () => {
  expect(await waitFor(never, 1)).toBe("late");
});

test.each([AbortSignal.abort(), AbortSignal.timeout(1)])(
  "a caller that gives up, or has, does not wait",
  async (signal) => {
    expect(await waitFor(never, 10_000, signal)).toBe("cancelled");
  },
);

test("what fails after nobody waits for it any more disturbs nobody", async () => {
  const failing = delay(1).then(() => Promise.reject(new Error("too late")));
  expect(await waitFor(failing, 10_000, AbortSignal.abort())).toBe("cancelled");
  await delay(5);
});
