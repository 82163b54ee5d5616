import { expect, test } from "vitest";
import type { Execute } from "./execute.ts";
import { inTurn } from "./in-turn.ts";

/** Runs that end when they are told to, and the order in which they began. */
function createRuns() {
  const began: string[] = [];
  const ends: (() => void)[] = [];
  const execute: Execute = ({ code }) => {
    began.push(code);
    return new Promise((resolve) =>
      ends.push(() => resolve({ status: "ok", run: code, calls: { total: 0, failed: 0 } })),
    );
  };
  return {
    began,
    execute,
    async endOne(): Promise<void> {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
  };
}

const from = (id: string, code: string) => ({
  code,
  caller: { id, capabilities: {}, ask: () => Promise.reject(new Error("nobody is asked here")) },
});

test("as many as may run, the rest by turns of their clients", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 2);
  const asked = ["1", "2", "3", "4"].map((n) => execute(from("eager", `eager ${n}`)));
  const late = execute(from("late", "late 1"));
  expect(runs.began).toEqual(["eager 1", "eager 2"]);
  for (let ended = 0; ended < 3; ended++) await runs.endOne();
  expect(runs.began).toEqual(["eager 1", "eager 2", "eager 3", "late 1", "eager 4"]);
  await runs.endOne();
  await runs.endOne();
  await Promise.all([...asked, late]);
});

test("one that is cancelled while it waits does not run, and makes way", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 1);
  const first = execute(from("a", "first"));
  const stop = new AbortController();
  const said: string[] = [];
  const second = execute({ ...from("a", "second"), signal: stop.signal, onProgress: (text) => said.push(text) });
  const third = execute(from("b", "third"));
  stop.abort();
  await expect(second).rejects.toMatchObject({
    code: "call_cancelled",
    message: expect.stringContaining("nothing has run"),
  });
  await runs.endOne();
  expect(runs.began).toEqual(["first", "third"]);
  expect(said).toEqual(["waits for its turn, as one of 1"]);
  await runs.endOne();
  await Promise.all([first, third]);
});

test("a run that fails gives its turn back", async () => {
  let count = 0;
  const execute = inTurn(async () => {
    if (count++ === 0) throw new Error("no engine");
    return { status: "ok", run: "x", calls: { total: 0, failed: 0 } };
  }, 1);
  await expect(execute({ code: "" })).rejects.toThrow("no engine");
  await expect(execute({ code: "" })).resolves.toMatchObject({ status: "ok" });
});

test("refuses when too many wait", async () => {
  const runs = createRuns();
  const execute = inTurn(runs.execute, 1);
  const all = Array.from({ length: 257 }, () => execute(from("flood", "x")));
  await expect(execute(from("flood", "y"))).rejects.toMatchObject({ code: "runs_busy" });
  const other = execute(from("other", "z"));
  await runs.endOne();
  await runs.endOne();
  expect(runs.began).toContain("z");
  for (let ended = 0; ended < 258; ended++) await runs.endOne();
  await Promise.all([...all, other]);
});
