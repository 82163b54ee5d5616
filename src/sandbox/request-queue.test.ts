import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { Limits } from "./engine.ts";
import { createFrameReader } from "./frames.ts";
import { JsonPieces } from "./json-pieces.ts";
import { createRequestQueue } from "./request-queue.ts";

const limits = { toolCalls: 1000, parallelToolCalls: 128 } as Limits;

/** A queue, and what has come out of it for the guest, by id. */
function createQueue(within = limits) {
  const input = new PassThrough();
  const answers = new Map<number, unknown>();
  const reader = createFrameReader(
    2 ** 31,
    (bytes) => {
      const { id, value, error } = JSON.parse(Buffer.from(bytes).toString());
      answers.set(id, error ?? value);
    },
    () => {},
  );
  const queue = createRequestQueue(within, { input, output: new PassThrough() }, 128 * 1024 * 1024);
  const read = () => input.on("data", (chunk: Buffer) => reader.push(chunk));
  const calls = { server: "shop", tool: "orders" };
  const add = (id: number, start: () => Promise<string>) => queue.add({ id, bytes: 10, calls, start });
  return { queue, add, answers, read };
}

const failed = { server: "shop", tool: "orders", delivery: "failed" };
const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("small answers: as many calls at once as the run may make", async () => {
  const { add, read } = createQueue();
  read();
  let most = 0;
  let running = 0;
  for (let id = 0; id < 500; id++) {
    add(id, async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return '"small"';
    });
  }
  await settled();
  expect(most).toBe(128);
});

test("who waits for a person leaves their place to others, and comes back before those that have not begun", async () => {
  const { queue, add, answers, read } = createQueue({ ...limits, parallelToolCalls: 2 });
  read();
  const order: string[] = [];
  let decide = (): void => {};
  const decision = new Promise<void>((resolve) => {
    decide = resolve;
  });
  const ask = async () => {
    await queue.aside(() => decision);
    order.push("asked");
    return '"asked"';
  };
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  for (let id = 0; id < 5; id++) add(id, ask);
  for (let id = 5; id < 7; id++) add(id, () => finished.then(() => '"slow"'));
  for (let id = 7; id < 9; id++) add(id, async () => `"${order.push("plain")}"`);
  await settled();
  decide();
  await settled();
  expect([order, answers.size]).toEqual([[], 0]); // the two that are slow have both places
  finish();
  await expect.poll(() => answers.size).toBe(9);
  expect(order.slice(0, 4)).toEqual(Array(4).fill("asked"));
});

test("while answers are large, only as many calls at once as leave room for such answers", async () => {
  const { add, answers, read } = createQueue();
  read();
  const large = JSON.stringify("x".repeat(10_000_000));
  add(1, async () => large);
  await settled();
  let most = 0;
  let running = 0;
  for (let id = 2; id < 22; id++) {
    add(id, async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return large;
    });
  }
  await expect.poll(() => answers.size, { timeout: 20_000 }).toBe(21);
  expect(most).toBeLessThanOrEqual(8);
});

test("of heavy requests one is under way until the guest has read its answer; others are answered behind it", async () => {
  const { queue, add, answers, read } = createQueue();
  const started: number[] = [];
  const pieces = (id: number) => async () => {
    started.push(id);
    const parts = ['"', "a".repeat(100_000), "b".repeat(100_000), '"'].map((part) => Buffer.from(part));
    return new JsonPieces(200_002, parts);
  };
  queue.add({ id: 1, bytes: 10, isHeavy: true, start: pieces(1) });
  queue.add({ id: 2, bytes: 10, isHeavy: true, start: pieces(2) });
  add(3, async () => '"light"');
  await settled();
  expect([started, answers.size]).toEqual([[1], 0]);
  read();
  await expect.poll(() => answers.size).toBe(3);
  expect(started).toEqual([1, 2]);
  expect(answers.get(3)).toBe("light");
  expect(answers.get(2)).toBe("a".repeat(100_000) + "b".repeat(100_000));
});

describe("of large answers that a guest does not read", () => {
  const large = JSON.stringify("x".repeat(10_000_000));
  const isDropped = (answer: unknown) => answer !== "x".repeat(10_000_000);

  test("there are no more than there is room for: the call is told as failed, and short answers come all the same", async () => {
    const { queue, add, answers, read } = createQueue();
    for (let id = 0; id < 40; id++) add(id, async () => large);
    for (let id = 40; id < 50; id++) add(id, async () => '"short"');
    add(50, () => Promise.reject(Object.assign(new Error("sold out"), { ...failed, result: { text: large } })));
    await settled();
    read();
    await expect.poll(() => answers.size, { timeout: 20_000 }).toBe(51);
    queue.abort();
    const all = [...answers.values()];
    expect(all.filter((answer) => answer === "short")).toHaveLength(10);
    expect(answers.get(50)).toMatchObject({
      ...failed,
      message: expect.stringMatching(/^sold out \(without its whole/),
    });
    expect(answers.get(50)).not.toHaveProperty("result");
    const dropped = all.slice(0, 40).filter(isDropped);
    expect(dropped).toHaveLength(40 - 13);
    expect(dropped[0]).toMatchObject({
      ...failed,
      code: "call_failed",
      message: expect.stringMatching(/the server has done what it was asked, but its answer is large/),
    });
  });

  test("those that wait behind one in pieces count too", async () => {
    const { queue, add, answers, read } = createQueue();
    const half = Buffer.alloc(100_000, "a");
    const pieces = new JsonPieces(200_002, [Buffer.from('"'), half, half, Buffer.from('"')]);
    queue.add({ id: 200, bytes: 10, isHeavy: true, start: async () => pieces });
    await settled();
    for (let id = 0; id < 40; id++) add(id, async () => large);
    await settled();
    read();
    await expect.poll(() => answers.size, { timeout: 20_000 }).toBe(41);
    queue.abort();
    answers.delete(200);
    expect([...answers.values()].filter(isDropped).length).toBeGreaterThanOrEqual(40 - 13);
  });

  test("those of other runs count, but leave each run its own", async () => {
    const [greedy, modest] = [createQueue(), createQueue()];
    for (let id = 0; id < 40; id++) greedy.add(id, async () => large);
    await settled();
    modest.add(1, async () => JSON.stringify("y".repeat(8_000_000)));
    modest.add(2, async () => JSON.stringify("y".repeat(8_000_000)));
    modest.add(3, async () => JSON.stringify("y".repeat(8_000_000)));
    await settled();
    modest.read();
    await expect.poll(() => modest.answers.size, { timeout: 20_000 }).toBe(3);
    for (const { queue } of [greedy, modest]) queue.abort();
    expect([...modest.answers.values()].map((answer) => typeof answer)).toEqual(["string", "string", "object"]);
  });
});
