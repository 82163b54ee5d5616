import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createThreadYield } from "./thread-yield.ts";

/** Work that holds the thread for that long in all. */
async function workFor(ms: number): Promise<void> {
  const yieldThread = createThreadYield();
  for (let worked = 0; worked < ms; worked++) {
    await yieldThread();
    const end = performance.now() + 1;
    while (performance.now() < end);
  }
}

test("others go on while long work is done, however many do it at once", async () => {
  let isOver = false;
  const works = Promise.all(Array.from({ length: 10 }, () => workFor(100))).then(() => {
    isOver = true;
  });
  let turns = 0;
  for (; !isOver; turns++) await nextTurn();
  await works;
  // A thousand milliseconds of work, a twentieth in one go; together they would have left ten turns at most.
  expect(turns).toBeGreaterThan(30);
});

test("short work is done in one go", async () => {
  const yieldThread = createThreadYield();
  await yieldThread();
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  for (let step = 0; step < 10; step++) await yieldThread();
  expect(isNextTurn).toBe(false);
});
