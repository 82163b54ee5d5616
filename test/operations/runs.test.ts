import { expect, test } from "vitest";
import { cancelRun, getRun, listRuns } from "../../src/operations/runs.ts";
import { createServices, runnerOf } from "./services.ts";

async function open() {
  const { services, journal, underWay } = await createServices();
  return { run: runnerOf([listRuns(services), getRun(services), cancelRun(services)]), journal, underWay };
}

const start = (id: string) => ({ id, language: "python", engine: "cpython", code: `# ${id}` });
const finish = { status: "ok", calls: 1, resultBytes: 2, stdoutBytes: 3 };

test("runs are listed newest first, 20 unless told otherwise, page by page", async () => {
  const { run, journal } = await open();
  const all = Array.from({ length: 30 }, (_, index) => `r${10 + index}`);
  for (const id of all) await journal.startRun(start(id));
  const ids = async (page: object) => ((await run("list_runs", page)) as { id: string }[]).map(({ id }) => id);
  const newest = all.toReversed();
  expect(await ids({})).toEqual(newest.slice(0, 20));
  expect(await ids({ limit: 3, before: newest[4] })).toEqual(newest.slice(5, 8));
  for (const limit of [0, 1001]) await expect(ids({ limit })).rejects.toMatchObject({ code: "input_invalid" });
});

test("one run has its code, its end and its calls", async () => {
  const { run, journal } = await open();
  await journal.startRun(start("r1"));
  const call = { server: "files", tool: "read", args: '{"path":"a"}', argsHash: "0" };
  journal.settle(journal.intend({ run: "r1", ...call }), { outcome: "failed", error: "gone", milliseconds: 1 });
  await journal.finishRun("r1", finish);
  expect(await run("get_run", { run: "r1" })).toMatchObject({
    ...{ id: "r1", code: "# r1", status: "ok", calls: 1 },
    toolCalls: [{ ...call, outcome: "failed", error: "gone" }],
  });
});

test.each(["get_run", "cancel_run"])("%s says which run is unknown", async (name) => {
  const { run } = await open();
  await expect(run(name, { run: "r9" })).rejects.toMatchObject({
    code: "run_unknown",
    message: 'The journal has no run "r9"',
    hint: expect.stringContaining("runs list"),
  });
});

test("a run that is under way here is ended; one that is over, is left", async () => {
  const { run, journal, underWay } = await open();
  await journal.startRun(start("r1"));
  const signal = underWay.begin("r1");
  expect(await run("cancel_run", { run: "r1" })).toEqual({ run: "r1", cancelled: true });
  expect(signal.aborted).toBe(true);
  underWay.end("r1");
  await journal.finishRun("r1", finish);
  expect(await run("cancel_run", { run: "r1" })).toEqual({ run: "r1", cancelled: false });
});

test("a run of another coordinator is not ended from here", async () => {
  const { run, journal } = await open();
  await journal.startRun(start("r1"));
  await expect(run("cancel_run", { run: "r1" })).rejects.toMatchObject({
    code: "run_unknown",
    message: expect.stringContaining("another coordinator"),
  });
});
