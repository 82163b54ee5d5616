import { expect, test } from "vitest";
import type { Caller } from "../actor.ts";
import { local } from "../actor.ts";
import type { RunDetail } from "../door/journal.ts";
import { getRun, unknownRun } from "./runs.ts";
import type { Services } from "./services.ts";

const call = { server: "s", tool: "t", args: `{"a":"${"x".repeat(500)}"}`, startedAt: 0, outcome: "ok" } as const;
const run: RunDetail = {
  id: "r1",
  language: "typescript",
  engine: "deno",
  status: "ok",
  startedAt: 0,
  calls: 1000,
  code: `first(); /* ${"x".repeat(250_000)} */ last();`,
  toolCalls: Array.from({ length: 1000 }, (_, id) => ({ ...call, id })),
};
const small: RunDetail = { ...run, code: "1", toolCalls: run.toolCalls.slice(0, 1) };
const operationFor = (found: RunDetail) =>
  getRun({ journal: { getRun: async () => found }, maxTokens: 4000 } as unknown as Services);
const model = { ...local, caller: {} as Caller };

test("a model gets as much of a run as its budget has room for, and is told where the rest is", async () => {
  const operation = operationFor(run);
  const output = await operation.run({ run: "r1" }, model);
  const text = operation.present?.(output).text ?? "";
  expect(JSON.stringify(output).length).toBeLessThan(50_000);
  expect(text.length).toBeLessThan(50_000);
  expect(text).toMatch(/first\(\);.*\n\[\.\.\. \d+ characters cut \.\.\.\]\n.*last\(\);/s);
  expect(text).toMatch(
    /\[cut: code: \d+ of 250023 characters; calls: \d+ of 1000 items; `mcp-coordinator runs show r1`/,
  );
  expect(output.toolCalls.at(-1)).toEqual(run.toolCalls[output.toolCalls.length - 1]);
});

test("what fits is whole, and so is everything for a person at a terminal", async () => {
  expect(await operationFor(small).run({ run: "r1" }, model)).toBe(small);
  expect(operationFor(small).present?.(small).text).not.toContain("[cut");
  expect(await operationFor(run).run({ run: "r1" }, local)).toBe(run);
});

test("the name of a run that is not known is repeated in part only", () => {
  expect(unknownRun("w".repeat(50_000)).message.length).toBeLessThan(300);
});
