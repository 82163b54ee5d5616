import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createFileLock } from "./file-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "locks-"));
afterAll(() => rmSync(folder, { recursive: true }));
const busy = () => new Error("busy");

test("a lock lets one work at a time and tells who waits", async () => {
  // Two of them are like two processes: they know nothing of each other.
  const locks = [createFileLock(folder), createFileLock(folder)];
  let inside = 0;
  let most = 0;
  let waits = 0;
  const work = (index: number) =>
    locks[index % 2]?.("one", { patienceMs: 10_000, busy, onWait: () => waits++ }, async () => {
      most = Math.max(most, ++inside);
      await delay(30);
      inside--;
    });
  await Promise.all([work(0), work(1), work(2), work(3)]);
  expect([most, waits]).toEqual([1, 3]);
  expect(readdirSync(folder)).toEqual([]);
});

test("who waits gives up after a time, or when told", async () => {
  const [first, second] = [createFileLock(folder), createFileLock(folder)];
  await first("two", { patienceMs: 0, busy }, async () => {
    await expect(second("two", { patienceMs: 100, busy }, async () => {})).rejects.toThrow("busy");
    const signal = AbortSignal.timeout(50);
    await expect(second("two", { patienceMs: 10_000, busy, signal }, async () => {})).rejects.toThrow(/abort/i);
    await second("another", { patienceMs: 0, busy }, async () => {});
  });
  await second("two", { patienceMs: 0, busy }, async () => {});
  expect(readdirSync(folder)).toEqual([]);
});
