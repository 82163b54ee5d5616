import { expect, test } from "vitest";
import type { Engine, Sandbox } from "./engine.ts";
import { createPool } from "./pool.ts";

/** An engine whose sandboxes are only counted. */
function createCountingEngine(failing = false) {
  const started: (Sandbox & { killed: boolean; ended: boolean })[] = [];
  const engine: Pick<Engine, "start" | "waiting"> = {
    waiting: 2,
    async start(signal) {
      if (failing) throw new Error("cannot start");
      const sandbox = { killed: false, ended: false, run: async () => ({ end: "ok" as const }), kill: () => {} };
      signal?.addEventListener("abort", () => {
        sandbox.killed = true;
      });
      started.push(sandbox);
      return sandbox;
    },
  };
  return { engine, started };
}

/** A pool that is in use, and has started all that it keeps. */
async function createUsedPool(engine: Pick<Engine, "start" | "waiting">) {
  const pool = createPool(engine);
  await pool.take();
  pool.refill();
  return pool;
}

test("keeps one until that is taken, then as many as the engine says", async () => {
  const { engine, started } = createCountingEngine();
  const pool = createPool(engine);
  pool.refill();
  expect(started).toHaveLength(1);
  await pool.take();
  pool.refill();
  expect(started).toHaveLength(3);
});

test("hands out what was started ahead, each once, and starts one when there is none", async () => {
  const { engine, started } = createCountingEngine();
  const pool = await createUsedPool(engine);
  const taken = [await pool.take(), await pool.take(), await pool.take()];
  expect(new Set(taken).size).toBe(3);
  expect(started).toHaveLength(4);
});

test("passes over a sandbox whose process is gone", async () => {
  const { engine, started } = createCountingEngine();
  const pool = await createUsedPool(engine);
  (started[1] as { ended: boolean }).ended = true;
  expect(await pool.take()).toBe(started[2]);
});

test("draining ends those that wait and none that was taken", async () => {
  const { engine, started } = createCountingEngine();
  const pool = await createUsedPool(engine);
  await pool.take();
  await pool.drain();
  expect(started.map(({ killed }) => killed)).toEqual([false, false, true]);
});

test("a sandbox that cannot start is the taker's error, and nobody else's", async () => {
  const pool = createPool(createCountingEngine(true).engine);
  pool.refill();
  await expect(pool.take()).rejects.toThrow("cannot start");
});

test("a closed pool starts nothing, even when it is told to later", async () => {
  const { engine, started } = createCountingEngine();
  const pool = createPool(engine);
  await pool.close();
  pool.refill();
  expect(started).toEqual([]);
});
