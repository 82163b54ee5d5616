import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import Libsql from "libsql";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { openStore, type Store, type StoreLimits } from "./store.ts";

afterEach(() => vi.useRealTimers());

test("runs older than the limit go with their calls, however many; the younger stay", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
  const { store, path } = open();
  await addRun(store, "r1", { calls: 1200 });
  await addRun(store, "r2");
  vi.setSystemTime(days(10));
  await addRun(store, "r3", { calls: 3 });
  vi.setSystemTime(days(31));
  expect(await store.prune()).toEqual({ runs: 2, catalogs: 0 });
  expect(await ids(store)).toEqual(["r3"]);
  expect((await store.journal.getRun("r3"))?.toolCalls).toHaveLength(3);
  expect(count(path, "calls")).toBe(3);
  expect(await store.prune({ maxAgeDays: 20 })).toEqual({ runs: 1, catalogs: 0 });
  expect(count(path, "calls")).toBe(0);
});

test("a run that has not ended stays for a day, then counts as any other", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
  const { store } = open();
  await store.journal.startRun({ id: "r1", language: "python", engine: "cpython", code: "pass" });
  await addRun(store, "r2");
  vi.setSystemTime(days(0.5));
  expect(await store.prune({ maxAgeDays: 0 })).toEqual({ runs: 1, catalogs: 0 });
  expect(await ids(store)).toEqual(["r1"]);
  expect(await store.prune({ maxAgeDays: 0, now: days(1.5) })).toEqual({ runs: 1, catalogs: 0 });
});

test("past the size the oldest runs go until the rest fits, and the file shrinks", async () => {
  const { store, path } = open();
  const all = Array.from({ length: 100 }, (_, index) => `r${100 + index}`);
  for (const id of all) await addRun(store, id, { code: "x".repeat(100_000), calls: 5 });
  await store.catalogs.write("kept", { tools: [1], info: null });
  const { runs } = await store.prune({ maxBytes: 2_095_000 });
  const kept = await ids(store);
  expect(kept).toEqual(all.slice(runs).reverse());
  // 25 pages of code a run, and a few pages for the rest.
  expect(kept).toHaveLength(18);
  expect(count(path, "calls")).toBe(kept.length * 5);
  expect((await store.catalogs.read(["kept"])).get("kept")?.tools).toEqual([1]);

  const database = new Libsql(path);
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
  // What was kept, and the free pages that are left for later runs.
  expect(statSync(path).size).toBeLessThan(2_070_000 + 1000 * 4096 + 100_000);
});

test("a run whose calls go in several steps goes whole, even if a part would be enough", async () => {
  const { store, path } = open();
  await addRun(store, "r1", { calls: 700, args: "x".repeat(2000) });
  await addRun(store, "r2", { calls: 3 });
  expect(await store.prune({ maxBytes: 1_000_000 })).toEqual({ runs: 1, catalogs: 0 });
  expect([await ids(store), count(path, "calls")]).toEqual([["r2"], 3]);
});

test("long arguments go with the last run that has them", async () => {
  vi.useFakeTimers({ now: 0, toFake: ["Date"] });
  const { store, path } = open();
  const args = "x".repeat(2000);
  for (const [index, id] of ["r1", "r2", "r3"].entries()) {
    vi.setSystemTime(days(index * 10));
    await store.journal.startRun({ id, language: "python", engine: "cpython", code: "pass" });
    for (const argsHash of ["shared", id]) {
      store.journal.settle(store.journal.intend({ run: id, server: "s", tool: "t", args, argsHash }), {
        outcome: "ok",
        milliseconds: 1,
      });
    }
    await store.journal.finishRun(id, { status: "ok", calls: 2, resultBytes: 0, stdoutBytes: 0 });
  }
  expect(count(path, "blobs")).toBe(4);
  await store.prune({ maxAgeDays: 5, now: days(21) });
  expect([await ids(store), count(path, "blobs")]).toEqual([["r3"], 2]);
  await store.prune({ maxAgeDays: 5, now: days(40) });
  expect(count(path, "blobs")).toBe(0);
});

test("a file that cannot give space back is pruned all the same", async () => {
  const { store } = open("CREATE TABLE older (than_us)");
  await addRun(store, "r1", { code: "x".repeat(6_000_000) });
  expect(await store.prune({ maxBytes: 100_000 })).toEqual({ runs: 1, catalogs: 0 });
});

test("a journal that grows too large is pruned while it grows, by every process that writes to it", async () => {
  const { store, path } = open("", { journal: { maxAgeDays: 30, maxBytes: 2_000_000 } });
  for (let index = 0; index < 100; index++) {
    await addRun(store, `r${1000 + index}`, { code: "x".repeat(256_000) });
    // The background gets its turns.
    await pause();
  }
  await vi.waitFor(async () => expect(await store.usedBytes()).toBeLessThanOrEqual(2_000_000), { timeout: 20_000 });
  expect((await ids(store))[0]).toBe("r1099");
  expect(count(path, "runs")).toBeLessThan(9);
});

test("texts of guests and servers of any length take a bounded room in the journal", async () => {
  const { store } = open();
  const long = "x".repeat(5_000_000);
  await store.journal.startRun({ id: "r1", language: "python", engine: "cpython", code: long, client: long });
  const call = store.journal.intend({
    run: "r1",
    server: "files",
    tool: "read",
    args: "{}",
    argsHash: "0",
  });
  store.journal.settle(call, { outcome: "failed", error: long, milliseconds: 1 });
  await store.journal.finishRun("r1", { status: "error", error: long, calls: 1, resultBytes: 0, stdoutBytes: 0 });
  expect(await store.usedBytes()).toBeLessThan(1_000_000);
  expect((await store.journal.getRun("r1"))?.error).toMatch(/^x{10000}… \(5000000 characters\)$/);
});

test("of deleted skills the names go too, when they are many", async () => {
  const { store, path } = open();
  const database = new Libsql(path);
  const insert = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)";
  database.exec(`${insert} INSERT INTO skills (principal, name, last_version) SELECT 'local', 'gone' || i, 1 FROM n`);
  database.close();
  await store.prune();
  expect(count(path, "skills")).toBe(10_000);
});

test("within the limits nothing goes", async () => {
  const { store } = open();
  await addRun(store, "r1");
  expect(await store.prune()).toEqual({ runs: 0, catalogs: 0 });
  expect(await ids(store)).toEqual(["r1"]);
});

test("closing the store ends a prune that goes on", async () => {
  const { store, path } = open();
  await addRun(store, "r1", { calls: 2000 });
  const pruning = store.prune({ maxAgeDays: -1 });
  store.close();
  expect(await pruning).toEqual({ runs: 0, catalogs: 0 });
  expect(count(path, "calls")).toBe(1500);
});

function days(count: number): number {
  return count * 24 * 60 * 60 * 1000;
}

/** `before` is run on the file before it becomes a store. */
function open(before = "", limits: StoreLimits = {}): { store: Store; path: string } {
  const home = mkdtempSync(join(tmpdir(), "retention-"));
  const database = new Libsql(join(home, "coordinator.db"));
  database.exec(before);
  database.close();
  const store = openStore(home, limits);
  onTestFinished(() => {
    store.close();
    rmSync(home, { recursive: true, force: true });
  });
  return { store, path: join(home, "coordinator.db") };
}

async function addRun({ journal }: Store, id: string, { code = "pass", calls = 0, args = "{}" } = {}): Promise<void> {
  await journal.startRun({ id, language: "python", engine: "cpython", code });
  for (let index = 0; index < calls; index++) {
    const call = journal.intend({ run: id, server: "files", tool: "read", args, argsHash: `${id} ${index}` });
    journal.settle(call, { outcome: "ok", milliseconds: 1 });
  }
  await journal.finishRun(id, { status: "ok", calls, resultBytes: 0, stdoutBytes: 0 });
}

async function ids({ journal }: Store): Promise<string[]> {
  return (await journal.listRuns({ limit: 1000 })).map(({ id }) => id);
}

function count(path: string, table: "blobs" | "calls" | "runs" | "skills"): number {
  const database = new Libsql(path);
  const [row] = database.prepare(`SELECT count(*) AS rows FROM ${table}`).all() as [{ rows: number }];
  database.close();
  return row.rows;
}
