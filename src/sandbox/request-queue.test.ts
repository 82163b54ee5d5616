import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Limits } from "./engine.ts";
import { createFrameReader } from "./frames.ts";
import { JsonPieces } from "./json-pieces.ts";
import { createRequestQueue } from "./request-queue.ts";

const limits = { toolCalls: 1000, parallelToolCalls: 128 } as Limits;

/** A queue, and what has come out of it for the guest, by id. */
function createQueue() {
  const input = new PassThrough();
  const answers = new Map<number, unknown>();
  const reader = createFrameReader(
    2 ** 31,
    (bytes) => {
      const { id, value } = JSON.parse(Buffer.from(bytes).toString());
      answers.set(id, value);
    },
    () => {},
  );
  const queue = createRequestQueue(limits, { input, output: new PassThrough() });
  const read = () => input.on("data", (chunk: Buffer) => reader.push(chunk));
  return { queue, answers, read };
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 20));

test("small answers: as many calls at once as the run may make", async () => {
  const { queue, read } = createQueue();
  read();
  let most = 0;
  let running = 0;
  for (let id = 0; id < 500; id++) {
    queue.add(id, 10, false, async () => {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return '"small"';
    });
  }
  await settled();
  expect(most).toBe(128);
});

test("while answers are large, only as many calls at once as leave room for such answers", async () => {
  const { queue, answers, read } = createQueue();
  read();
  const large = JSON.stringify("x".repeat(10_000_000));
  queue.add(1, 10, false, async () => large);
  await settled();
  let most = 0;
  let running = 0;
  for (let id = 2; id < 22; id++) {
    queue.add(id, 10, false, async () => {
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
  const { queue, answers, read } = createQueue();
  const started: number[] = [];
  const pieces = (id: number) => async () => {
    started.push(id);
    const parts = ['"', "a".repeat(100_000), "b".repeat(100_000), '"'].map((part) => Buffer.from(part));
    return new JsonPieces(200_002, parts);
  };
  queue.add(1, 10, true, pieces(1));
  queue.add(2, 10, true, pieces(2));
  queue.add(3, 10, false, async () => '"light"');
  await settled();
  expect([started, answers.size]).toEqual([[1], 0]);
  read();
  await expect.poll(() => answers.size).toBe(3);
  expect(started).toEqual([1, 2]);
  expect(answers.get(3)).toBe("light");
  expect(answers.get(2)).toBe("a".repeat(100_000) + "b".repeat(100_000));
});
