import { expect, test } from "vitest";
import type { UpstreamState } from "../upstream/upstream-view.ts";
import { explainState } from "./explain-state.ts";

const quiet: UpstreamState = { state: "ready", since: 0, skippedLines: 0, strayAnswers: 0, waiting: 0 };
const lastError = 'Upstream "x" answered no call, and no ping within 5 s, and was ended';

test.each<[string, Partial<UpstreamState>, RegExp, RegExp]>([
  [
    "failed",
    { state: "failed", lastError: "exit code 3\u001b[31m" },
    /^it is not running: exit code 3/,
    /starts it again/,
  ],
  ["frozen", { state: "failed", lastError }, /answered no call, and no ping within 5 s/, /starts it again/],
  [
    "resting",
    { state: "resting", lastError, retryAt: Date.now() + 9000 },
    /^calls are refused for \d+ s/,
    /one call tries/,
  ],
  ["that needs a person", { state: "failed", lastCode: "sign_in_needed" }, /sign in/, /mcp-coordinator auth x$/],
  ["busy", { waiting: 7 }, /^7 calls wait/, /maxParallelCalls/],
  ["that prints to its stdout", { skippedLines: 3 }, /^it wrote 3 lines/, /stderr/],
  ["that answers late", { strayAnswers: 2 }, /^it sent 2 answers/, /timeoutSeconds/],
])("a server %s is explained, with what to do", (_, change, note, fix) => {
  const told = explainState("x", { ...quiet, ...change });
  expect(told?.note).toMatch(note);
  expect(told?.note).not.toContain("\u001b");
  expect(told?.fix).toMatch(fix);
});

test("a server that asks questions is told, and nothing is to be done", () => {
  expect(explainState("x", { ...quiet, asks: true })).toEqual({
    note: expect.stringContaining("one client at a time"),
  });
});

test.each(["idle", "starting", "ready"] as const)("of one that is %s there is nothing to tell", (state) => {
  expect(explainState("x", { ...quiet, state })).toBeUndefined();
});
