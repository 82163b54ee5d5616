import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { inFileTurn } from "./file-turns.ts";

test("two look at once, callers take turns, and who was cancelled meanwhile does not look", async () => {
  const stop = new AbortController();
  const order: string[] = [];
  let atOnce = 0;
  let most = 0;
  const look = (turn: string, signal?: AbortSignal) =>
    inFileTurn({ turn, signal }, async () => {
      most = Math.max(most, ++atOnce);
      order.push(turn);
      await nextTurn();
      atOnce--;
    });
  const looks = [...Array.from({ length: 20 }, () => look("many")), look("few")];
  const cancelled = look("many", stop.signal);
  stop.abort();
  await expect(cancelled).rejects.toMatchObject({ code: "call_cancelled" });
  await Promise.all(looks);
  expect(most).toBe(2);
  expect(order).toHaveLength(21);
  expect(order.indexOf("few")).toBeLessThan(5);
});
