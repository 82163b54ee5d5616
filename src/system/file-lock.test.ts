import { createHash } from "node:crypto";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { createFileLock } from "./file-lock.ts";
import { thisProcess } from "./owner.ts";

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

const lockOf = (name: string) => join(folder, createHash("sha256").update(name).digest("hex").slice(0, 32));
const gone = { ...thisProcess(), epoch: "4194303.1", id: "0123456789abcdef" };
const minuteAgo = () => new Date(Date.now() - 60_000);

test.each([
  ["empty", ""],
  ["null", "null"],
  ["of half a text", '{"node":1'],
  ["whose id is a path", JSON.stringify({ ...gone, id: "/../../x" })],
  ["of a group of processes", JSON.stringify({ ...gone, epoch: "0." })],
  ["of a process that is gone", JSON.stringify(gone)],
])("a lock that is left, %s, is taken over by one at a time", async (name, text) => {
  let inside = 0;
  let most = 0;
  writeFileSync(lockOf(name), text);
  utimesSync(lockOf(name), minuteAgo(), minuteAgo());
  const work = () =>
    createFileLock(folder)(name, { patienceMs: 10_000, busy }, async () => {
      most = Math.max(most, ++inside);
      await delay(5);
      inside--;
    });
  await Promise.all(Array.from({ length: 8 }, work));
  expect(most).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock of another node is its holder's as long as that touches it", async () => {
  const path = lockOf("elsewhere");
  writeFileSync(path, JSON.stringify({ ...gone, node: "0123456789ab" }));
  const lock = createFileLock(folder);
  await expect(lock("elsewhere", { patienceMs: 0, busy }, async () => {})).rejects.toThrow("busy");
  utimesSync(path, minuteAgo(), minuteAgo());
  await lock("elsewhere", { patienceMs: 0, busy }, async () => {});
  expect(readdirSync(folder)).toEqual([]);
});

test("a lock that cannot be read yet is waited for, and not for long", async () => {
  writeFileSync(lockOf("young"), "");
  const lock = createFileLock(folder);
  await expect(lock("young", { patienceMs: 0, busy }, async () => {})).rejects.toThrow("busy");
  expect(readFileSync(lockOf("young"), "utf8")).toBe("");
  await lock("young", { patienceMs: 10_000, busy }, async () => {});
  expect(readdirSync(folder)).toEqual([]);
});

test("what breaks a lock may itself be left", async () => {
  writeFileSync(lockOf("twice"), JSON.stringify(gone));
  writeFileSync(`${lockOf("twice")}-${gone.id}`, "");
  utimesSync(`${lockOf("twice")}-${gone.id}`, minuteAgo(), minuteAgo());
  await createFileLock(folder)("twice", { patienceMs: 10_000, busy }, async () => {});
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ["folder", (path: string) => mkdirSync(path)],
  ["link that leads nowhere", (path: string) => symlinkSync("nowhere", path)],
])("a %s in the place of a lock is told at once, with its path", async (name, make) => {
  make(lockOf(name));
  const held = createFileLock(folder)(name, { patienceMs: 60_000, busy }, async () => {});
  await expect(held).rejects.toMatchObject({
    code: "storage_unavailable",
    message: `Cannot use the lock ${lockOf(name)}: it is no plain file`,
  });
  rmSync(lockOf(name), { recursive: true });
});
