import { expect, test } from "vitest";
import { operationTurn } from "./operation-turns.ts";

const { signal } = new AbortController();

test("between one operation and the next the event loop goes round, however many are asked for at once", async () => {
  const order: string[] = [];
  let isOver = false;
  const goRound = (): void => {
    order.push("loop");
    if (!isOver) setImmediate(goRound);
  };
  setImmediate(goRound);
  const operations = Array.from({ length: 50 }, async () => {
    await operationTurn("a", signal);
    order.push("operation");
  });
  await Promise.all(operations);
  isOver = true;
  expect(order.join(" ")).not.toContain("operation operation");
});

test("runs take turns, so that one that asks often does not keep another waiting", async () => {
  const order: string[] = [];
  const ask = async (run: string): Promise<void> => {
    await operationTurn(run, signal);
    order.push(run);
  };
  await Promise.all([...Array.from({ length: 4 }, () => ask("often")), ask("once"), ask("twice"), ask("twice")]);
  expect(order).toEqual(["often", "once", "twice", "often", "twice", "often", "often"]);
});

test("what a run asked for before it ended is not begun", async () => {
  const run = new AbortController();
  const asked = Array.from({ length: 3 }, () => operationTurn("ended", run.signal));
  const other = operationTurn("other", signal);
  run.abort(new Error("it has ended"));
  const begun = await Promise.allSettled([...asked, other]);
  expect(begun.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected", "fulfilled"]);
});
