import { afterEach, describe, expect, test, vi } from "vitest";
import type { Journal } from "../../src/door/journal.ts";
import { createJournalInMemory, journalRuns } from "./in-memory/journal.ts";
import { openStores } from "./open-stores.ts";

// Every journal keeps to this.

afterEach(() => vi.useRealTimers());

/** Opens the journal of an owner; all of one test share what is recorded. */
type Owners = (principal?: string) => Journal;

const implementations: [string, () => Owners][] = [
  [
    "sqlite",
    () => {
      const open = openStores();
      return (principal) => open(principal).journal;
    },
  ],
  [
    "in memory",
    () => {
      const shared = journalRuns();
      return (principal = "local") => createJournalInMemory({ shared, principal });
    },
  ],
];

const start = (id: string) => ({ id, language: "python", engine: "cpython", code: "pass" });
const call = (run: string) => ({ run, server: "files", tool: "read", args: "{}", argsHash: "0" });
const finish = { status: "ok", calls: 1, resultBytes: 0, stdoutBytes: 0 };
const notWritten = (run: string) =>
  expect.objectContaining({ code: "run_unknown", message: expect.stringContaining(`Cannot write to run "${run}"`) });

async function outcomes(journal: Journal, run: string) {
  return (await journal.getRun(run))?.toolCalls.map(({ outcome }) => outcome);
}

describe.each(implementations)("a journal, %s", (_implementation, owners) => {
  test("a run reads back with its code, its end and its calls in order", async () => {
    vi.useFakeTimers({ now: 1000, toFake: ["Date"] });
    const journal = owners()();
    await journal.startRun({ id: "r1", language: "typescript", engine: "deno", code: "1 + 1", client: "desk" });
    vi.setSystemTime(1010);
    const first = journal.intend({ ...call("r1"), args: '{"path":"a"}' });
    journal.settle(first, { outcome: "ok", resultBytes: 12, milliseconds: 1.5 });
    const second = journal.intend({ ...call("r1"), tool: "write" });
    journal.settle(second, { outcome: "failed", error: "read-only", milliseconds: 0.25 });
    vi.setSystemTime(1020);
    const error = "ToolError: read-only";
    await journal.finishRun("r1", { status: "error", error, calls: 2, resultBytes: 3, stdoutBytes: 4 });

    const summary = {
      ...{ id: "r1", language: "typescript", engine: "deno", client: "desk", status: "error", error },
      ...{ startedAt: 1000, finishedAt: 1020, calls: 2, resultBytes: 3, stdoutBytes: 4 },
    };
    expect(await journal.listRuns({ limit: 10 })).toEqual([summary]);
    const both = { server: "files", startedAt: 1010, argsHash: "0" };
    const read = { id: first, tool: "read", args: '{"path":"a"}', outcome: "ok", resultBytes: 12, milliseconds: 1.5 };
    const write = { id: second, tool: "write", args: "{}", outcome: "failed", error: "read-only", milliseconds: 0.25 };
    const toolCalls = [read, write].map((one) => ({ ...both, ...one }));
    expect(await journal.getRun("r1")).toEqual({ ...summary, code: "1 + 1", toolCalls });
  });

  test("a run that goes on reads as running, and so do its open calls", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    const open = journal.intend(call("r1"));
    journal.settle(journal.intend(call("r1")), { outcome: "ok", milliseconds: 1 });
    const [summary] = await journal.listRuns({ limit: 1 });
    expect(summary).toMatchObject({ id: "r1", status: "running", calls: 2 });
    expect(Object.keys(summary ?? {})).not.toContain("finishedAt");
    expect(await outcomes(journal, "r1")).toEqual(["running", "ok"]);
    expect((await journal.getRun("r1"))?.toolCalls[0]?.id).toBe(open);
  });

  test("a call without an outcome reads as unknown once its run is over", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    journal.intend(call("r1"));
    await journal.finishRun("r1", finish);
    expect(await outcomes(journal, "r1")).toEqual(["unknown"]);
  });

  test("the first outcome of a call stays, and one for a call that was never intended is ignored", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    const id = journal.intend(call("r1"));
    journal.settle(id, { outcome: "cancelled", milliseconds: 1 });
    journal.settle(id, { outcome: "ok", milliseconds: 2 });
    journal.settle(id + 1000, { outcome: "ok", milliseconds: 2 });
    journal.intend(call("r1"));
    expect(await outcomes(journal, "r1")).toEqual(["cancelled", "running"]);
  });

  test("an outcome that comes after the run's end is still written", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    const id = journal.intend(call("r1"));
    await journal.finishRun("r1", finish);
    journal.settle(id, { outcome: "cancelled", milliseconds: 1 });
    expect(await outcomes(journal, "r1")).toEqual(["cancelled"]);
  });

  test("a refused call has its reason", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    journal.settle(journal.intend(call("r1")), { outcome: "refused", error: "not today", milliseconds: 0 });
    expect((await journal.getRun("r1"))?.toolCalls).toMatchObject([{ outcome: "refused", error: "not today" }]);
  });

  test("calls of runs that go on at the same time stay apart", async () => {
    const journal = owners()();
    for (const id of ["r1", "r2"]) await journal.startRun(start(id));
    for (const run of ["r1", "r2", "r1", "r2", "r1"]) journal.intend({ ...call(run), server: run });
    const servers = async (id: string) => (await journal.getRun(id))?.toolCalls.map(({ server }) => server);
    expect([await servers("r1"), await servers("r2")]).toEqual([
      ["r1", "r1", "r1"],
      ["r2", "r2"],
    ]);
  });

  test("a call of a run that was not started, or has ended, is refused, and so is its end", async () => {
    const journal = owners()();
    expect(() => journal.intend(call("r1"))).toThrow(notWritten("r1"));
    await expect(journal.finishRun("r1", finish)).rejects.toThrow(notWritten("r1"));
    await journal.startRun(start("r1"));
    await journal.finishRun("r1", finish);
    expect(() => journal.intend(call("r1"))).toThrow(notWritten("r1"));
    await expect(journal.finishRun("r1", { ...finish, status: "error" })).rejects.toThrow(notWritten("r1"));
    expect(await journal.getRun("r1")).toMatchObject({ status: "ok", toolCalls: [] });
  });

  test("runs are listed newest first, page by page", async () => {
    const journal = owners()();
    for (const id of ["r2", "r4", "r1", "r3"]) await journal.startRun(start(id));
    const ids = async (page: { limit: number; before?: string }) => (await journal.listRuns(page)).map(({ id }) => id);
    expect(await ids({ limit: 2 })).toEqual(["r4", "r3"]);
    expect(await ids({ limit: 2, before: "r3" })).toEqual(["r2", "r1"]);
    expect(await ids({ limit: 2, before: "r1" })).toEqual([]);
    expect(await journal.getRun("r9")).toBeUndefined();
  });

  test("a run is under way until it ends, no matter who asks", async () => {
    const open = owners();
    const [here, there] = [open(), open()];
    const isUnderWay = async () => [await here.isUnderWay("r1"), await there.isUnderWay("r1")];
    expect(await isUnderWay()).toEqual([false, false]);
    await here.startRun(start("r1"));
    expect(await isUnderWay()).toEqual([true, true]);
    await here.finishRun("r1", finish);
    expect(await isUnderWay()).toEqual([false, false]);
  });

  test("hostile strings are data", async () => {
    const journal = owners()();
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
    expect(await journal.callArgs(id)).toBe(hostile);
  });

  test("long arguments are kept whole, a list of calls shows how they begin", async () => {
    const journal = owners()();
    await journal.startRun(start("r1"));
    const args = JSON.stringify({ text: "x".repeat(50_000) });
    const calls = ["a", "a", "b"].map((argsHash) => journal.intend({ ...call("r1"), args, argsHash }));
    const shown = (await journal.getRun("r1"))?.toolCalls ?? [];
    expect(shown.map(({ argsHash }) => argsHash)).toEqual(["a", "a", "b"]);
    for (const one of shown) expect(one.args).toBe(args.slice(0, 10_000));
    expect(await Promise.all(calls.map((id) => journal.callArgs(id)))).toEqual([args, args, args]);
    expect(await journal.callArgs(-1)).toBeUndefined();
  });

  test("what belongs to one owner is not another's", async () => {
    const open = owners();
    const [ours, theirs] = [open("ours"), open("theirs")];
    await ours.startRun(start("r1"));
    const id = ours.intend({ ...call("r1"), args: '{"secret":1}' });
    expect([await theirs.listRuns({ limit: 9 }), await theirs.getRun("r1")]).toEqual([[], undefined]);
    expect([await ours.callArgs(id), await theirs.callArgs(id)]).toEqual(['{"secret":1}', undefined]);
    expect(() => theirs.intend(call("r1"))).toThrow(notWritten("r1"));
    await expect(theirs.finishRun("r1", finish)).rejects.toThrow(notWritten("r1"));
    await theirs.startRun(start("r2"));
    expect((await ours.listRuns({ limit: 9 })).map((run) => run.id)).toEqual(["r1"]);
  });
});
