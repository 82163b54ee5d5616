import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, expect, onTestFinished, test, vi } from "vitest";
import { isAlive, type Owner } from "../../system/owner.ts";
import { createCallLog } from "./call-log.ts";
import { connect } from "./connection.ts";
import { SqliteJournal } from "./journal.ts";
import { migrate } from "./migrate.ts";

afterEach(() => vi.useRealTimers());

test("a run reads back with its code, its end and its calls in order", async () => {
  vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
  const { journal } = open();
  await journal.startRun({ id: "r1", language: "typescript", engine: "deno", code: "1 + 1", client: "desk" });
  vi.setSystemTime(1010);
  const first = journal.intend({ run: "r1", server: "files", tool: "read", args: '{"path":"a"}', argsHash: "0" });
  journal.settle(first, { outcome: "ok", resultBytes: 12, milliseconds: 1.5 });
  const second = journal.intend({ run: "r1", server: "files", tool: "write", args: "{}", argsHash: "0" });
  journal.settle(second, { outcome: "failed", error: "read-only", milliseconds: 0.25 });
  vi.setSystemTime(1020);
  await journal.finishRun("r1", {
    status: "error",
    error: "ToolError: read-only",
    calls: 2,
    resultBytes: 3,
    stdoutBytes: 4,
  });

  const summary = {
    id: "r1",
    language: "typescript",
    engine: "deno",
    client: "desk",
    status: "error",
    error: "ToolError: read-only",
    startedAt: 1000,
    finishedAt: 1020,
    calls: 2,
    resultBytes: 3,
    stdoutBytes: 4,
  };
  const call = { server: "files", startedAt: 1010, argsHash: "0" };
  expect(await journal.listRuns({ limit: 10 })).toEqual([summary]);
  expect(await journal.getRun("r1")).toEqual({
    ...summary,
    code: "1 + 1",
    toolCalls: [
      {
        ...call,
        id: first,
        tool: "read",
        args: '{"path":"a"}',
        outcome: "ok",
        resultBytes: 12,
        milliseconds: 1.5,
      },
      { ...call, id: second, tool: "write", args: "{}", outcome: "failed", error: "read-only", milliseconds: 0.25 },
    ],
  });
});

test("a run that goes on reads as running, and so do its open calls", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const open1 = journal.intend(call("r1"));
  journal.settle(journal.intend(call("r1")), { outcome: "ok", milliseconds: 1 });
  expect(await journal.listRuns({ limit: 1 })).toMatchObject([{ id: "r1", status: "running", calls: 2 }]);
  expect(await outcomes(journal, "r1")).toEqual(["running", "ok"]);
  expect(open1).toBe((await journal.getRun("r1"))?.toolCalls[0]?.id);
});

test("a call without an outcome reads as unknown once its run is over", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  journal.intend(call("r1"));
  await journal.finishRun("r1", finish);
  expect(await outcomes(journal, "r1")).toEqual(["unknown"]);
});

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
  const other = connect(path);
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
  const other = connect(path);
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

test("the first outcome of a call stays, and one for a call that was never intended is ignored", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const id = journal.intend(call("r1"));
  journal.settle(id, { outcome: "cancelled", milliseconds: 1 });
  journal.settle(id, { outcome: "ok", milliseconds: 2 });
  journal.settle(id + 1000, { outcome: "ok", milliseconds: 2 });
  journal.intend(call("r1"));
  expect(await outcomes(journal, "r1")).toEqual(["cancelled", "running"]);
});

test("an outcome that comes after the run's end is still written", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const id = journal.intend(call("r1"));
  await journal.finishRun("r1", finish);
  journal.settle(id, { outcome: "cancelled", milliseconds: 1 });
  expect(await outcomes(journal, "r1")).toEqual(["cancelled"]);
});

test("calls of runs that go on at the same time stay apart", async () => {
  const { journal } = open();
  for (const id of ["r1", "r2"]) await journal.startRun(start(id));
  for (const run of ["r1", "r2", "r1", "r2", "r1"]) journal.intend({ ...call(run), server: run });
  const servers = async (id: string) => (await journal.getRun(id))?.toolCalls.map(({ server }) => server);
  expect([await servers("r1"), await servers("r2")]).toEqual([
    ["r1", "r1", "r1"],
    ["r2", "r2"],
  ]);
});

test("a call of a run that was not started, or has ended, is refused", async () => {
  const { journal } = open();
  expect(() => journal.intend(call("r1"))).toThrow('Cannot write to run "r1"');
  await journal.startRun(start("r1"));
  await journal.finishRun("r1", finish);
  expect(() => journal.intend(call("r1"))).toThrow('Cannot write to run "r1"');
  await expect(journal.finishRun("r1", finish)).rejects.toThrow('Cannot write to run "r1"');
});

test("runs are listed newest first, page by page", async () => {
  const { journal } = open();
  for (const id of ["r2", "r4", "r1", "r3"]) await journal.startRun(start(id));
  const ids = async (page: { limit: number; before?: string }) => (await journal.listRuns(page)).map(({ id }) => id);
  expect([
    await ids({ limit: 2 }),
    await ids({ limit: 2, before: "r3" }),
    await ids({ limit: 2, before: "r1" }),
  ]).toEqual([["r4", "r3"], ["r2", "r1"], []]);
  expect(await journal.getRun("r9")).toBeUndefined();
});

test("hostile strings are data", async () => {
  const { journal } = open();
  const hostile = "\0'); DROP TABLE runs; --\ud800 \u001b[2J __proto__ 😀";
  await journal.startRun({ id: hostile, language: hostile, engine: hostile, code: hostile, client: hostile });
  const id = journal.intend({ run: hostile, server: hostile, tool: hostile, args: hostile, argsHash: "0" });
  journal.settle(id, { outcome: "failed", error: hostile, milliseconds: 1 });
  await journal.finishRun(hostile, { ...finish, status: hostile, error: hostile });
  expect(await journal.getRun(hostile)).toMatchObject({
    ...{ id: hostile, language: hostile, engine: hostile, client: hostile, status: hostile, error: hostile },
    code: hostile,
    toolCalls: [{ server: hostile, tool: hostile, args: hostile, error: hostile }],
  });
});

/** Those of this machine, which the system knows. */
const nodes = { isAlive: (owner: Owner) => isAlive(owner) ?? false, close() {} };

/** A journal that does not wait for locks, so that a test can hold one. */
function open(): { journal: SqliteJournal; path: string } {
  const folder = mkdtempSync(join(tmpdir(), "journal-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "test.db");
  const connection = connect(path);
  connection.execute("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 0");
  migrate(connection);
  const journal = new SqliteJournal(connection, "local", createCallLog(folder), nodes);
  onTestFinished(() => {
    journal.close();
    connection.close();
  });
  return { journal, path };
}

/** Sees only what is in the file. */
function reader(path: string): SqliteJournal {
  const connection = connect(path);
  onTestFinished(() => connection.close());
  return new SqliteJournal(connection, "local", createCallLog(dirname(path)), nodes);
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

test("long arguments are kept whole and once, a list of calls shows how they begin", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const args = JSON.stringify({ text: "x".repeat(50_000) });
  const calls = ["a", "a", "b"].map((argsHash) => journal.intend({ ...call("r1"), args, argsHash }));
  const shown = (await journal.getRun("r1"))?.toolCalls.map((one) => [one.argsHash, one.args.length]);
  expect(shown).toEqual([
    ["a", 10_000],
    ["a", 10_000],
    ["b", 10_000],
  ]);
  expect(await Promise.all(calls.map((id) => journal.callArgs(id)))).toEqual([args, args, args]);
  expect(await journal.callArgs(1)).toBeUndefined();
});

test("a refused call has its reason", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  journal.settle(journal.intend(call("r1")), { outcome: "refused", error: "not today", milliseconds: 0 });
  expect((await journal.getRun("r1"))?.toolCalls).toMatchObject([{ outcome: "refused", error: "not today" }]);
});

test("the arguments of one run have a limit; what goes over it is not recorded, and so not sent", async () => {
  const { journal } = open();
  await journal.startRun(start("r1"));
  const args = "x".repeat(100_000_000);
  journal.intend({ ...call("r1"), args, argsHash: "a" });
  journal.intend({ ...call("r1"), args, argsHash: "a" });
  expect(() => journal.intend({ ...call("r1"), args, argsHash: "a" })).toThrow("256000000 characters");
  expect((await journal.getRun("r1"))?.toolCalls).toHaveLength(2);
});
