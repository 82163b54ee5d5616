import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Pool } from "../../sandbox/pool.ts";
import { createRefills } from "./refill-when-quiet.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createCountingPool() {
  const refill = vi.fn();
  return { refill, pool: { refill } as unknown as Pool };
}

/** A run that ends when it is told to. */
function createRun() {
  let end = (): void => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { run: () => ended, end };
}

test("a pool is refilled when the last run has ended and no other begins at once", async () => {
  const { pool, refill } = createCountingPool();
  const refills = createRefills();
  await refills.during(async () => refills.ask(pool));
  await vi.advanceTimersByTimeAsync(10);
  const second = createRun();
  const running = refills.during(second.run);
  await vi.advanceTimersByTimeAsync(50);
  expect(refill).not.toHaveBeenCalled();
  second.end();
  await running;
  await vi.advanceTimersByTimeAsync(15);
  expect(refill).toHaveBeenCalledTimes(1);
});

test("a pool is refilled after a while even when runs never end", async () => {
  const { pool, refill } = createCountingPool();
  const refills = createRefills();
  void refills.during(createRun().run);
  await refills.during(async () => refills.ask(pool));
  await vi.advanceTimersByTimeAsync(99);
  expect(refill).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(refill).toHaveBeenCalledTimes(1);
});

test("a run that fails counts no longer", async () => {
  const { pool, refill } = createCountingPool();
  const refills = createRefills();
  await expect(refills.during(() => Promise.reject(new Error("no engine")))).rejects.toThrow("no engine");
  await refills.during(async () => refills.ask(pool));
  await vi.advanceTimersByTimeAsync(15);
  expect(refill).toHaveBeenCalledTimes(1);
});
