import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { isAlive, type Owner } from "../../system/owner.ts";
import { createCallLog } from "./call-log.ts";
import { openDatabase } from "./database.ts";
import { SqliteJournal } from "./journal.ts";
import { migrate } from "./migrate.ts";

afterEach(() => vi.useRealTimers());

test("a call comes to the database with its outcome, and without one after 50 ms", async () => {
  vi.useFakeTimers();
  const { journal, path } = open();
  const other = reader(path);
  await journal.startRun(start("r1"));
  const [first = 0, second = 0, third = 0] = [1, 2, 3].map(() => journal.intend(call("r1")));
  journal.settle(third, { outcome: "cancelled", milliseconds: 1 });
  journal.settle(first, { outcome: "ok", milliseconds: 1 });
  expect(await outcomes(other, "r1")).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(await outcomes(other, "r1")).toEqual(["ok", "running", "cancelled"]);
  journal.settle(second, { outcome: "failed", error: "no", milliseconds: 1 });
  vi.advanceTimersByTime(50);
  expect(await outcomes(other, "r1")).toEqual(["ok", "failed", "cancelled"]);
});

test("many calls in a row do not wait for the timer", async () => {
  const { journal, path } = open();
  await journal.startRun(start("r1"));
  for (let made = 0; made < 1000; made++) journal.intend(call("r1"));
  expect((await outcomes(reader(path), "r1"))?.length).toBeGreaterThan(700);
});

test("calls that the database cannot take at the moment do not wait for it", async () => {
  const { journal, path } = open();
  const other = openDatabase(path);
  onTestFinished(() => other.close());
  await journal.startRun(start("r1"));
  other.transaction(() => {
    for (let made = 0; made < 300; made++) journal.intend(call("r1"));
  });
  journal.flush();
  expect(await outcomes(reader(path), "r1")).toHaveLength(300);
});

test.each([
  ["after 50 ms", () => vi.advanceTimersByTime(50)],
  ["by flush", (journal: SqliteJournal) => journal.flush()],
  ["by close", (journal: SqliteJournal) => journal.close()],
  ["with the end of the run", (journal: SqliteJournal) => journal.finishRun("r1", finish)],
])("an outcome that no intent follows is written %s", async (_, write) => {
  vi.useFakeTimers();
  const { journal, path } = open();
  await journal.startRun(start("r1"));
  journal.settle(journal.intend(call("r1")), { outcome: "ok", milliseconds: 1 });
  await write(journal);
  expect(await outcomes(reader(path), "r1")).toEqual(["ok"]);
});

test("outcomes that come one by one, with time between them, are all written", async () => {
  vi.useFakeTimers();
  const { journal, path } = open();
  await journal.startRun(start("r1"));
  for (const id of [1, 2].map(() => journal.intend(call("r1")))) {
    journal.settle(id, { outcome: "ok", milliseconds: 1 });
    vi.advanceTimersByTime(50);
  }
  expect(await outcomes(reader(path), "r1")).toEqual(["ok", "ok"]);
});

test("an outcome that cannot be written in the background is kept for the next write", async () => {
  vi.useFakeTimers();
  const { journal, path } = open();
  const other = openDatabase(path);
  onTestFinished(() => other.close());
  await journal.startRun(start("r1"));
  journal.settle(journal.intend(call("r1")), { outcome: "ok", milliseconds: 1 });
  other.transaction(() => {
    vi.advanceTimersByTime(50);
    expect(() => journal.flush()).toThrow("database is locked");
  });
  expect(await outcomes(reader(path), "r1")).toEqual([]);
  journal.flush();
  expect(await outcomes(reader(path), "r1")).toEqual(["ok"]);
});

/** Those of this machine, which the system knows. */
const nodes = { isAlive: (owner: Owner) => isAlive(owner) ?? false, close() {} };

/** A journal that does not wait for locks, so that a test can hold one. */
function open(): { journal: SqliteJournal; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "test.db");
  const database = openDatabase(path);
  database.execute("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0");
  migrate(database);
  const journal = new SqliteJournal(database, "local", createCallLog(folder), nodes);
  onTestFinished(() => {
    journal.close();
    database.close();
  });
  return { journal, path };
}

/** Sees only what is in the file. */
function reader(path: string): SqliteJournal {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  return new SqliteJournal(database, "local", createCallLog(dirname(path)), nodes);
}

function start(id: string) {
  return { id, language: "python", engine: "cpython", code: "pass" };
}

function call(run: string) {
  return { run, server: "files", tool: "read", args: "{}", argsHash: "0" };
}

const finish = { status: "ok", calls: 1, resultBytes: 0, stdoutBytes: 0 };

async function outcomes(journal: SqliteJournal, run: string) {
  return (await journal.getRun(run))?.toolCalls.map(({ outcome }) => outcome);
}

test("the arguments of one run have a limit; what goes over it is not recorded, and so not sent", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const args = "x".repeat(100_000_000);
  journal.intend({ ...call("r1"), args, argsHash: "a" });
  journal.intend({ ...call("r1"), args, argsHash: "a" });
  expect(() => journal.intend({ ...call("r1"), args, argsHash: "a" })).toThrow("256000000 characters");
  expect((await journal.getRun("r1"))?.toolCalls).toHaveLength(2);
});
