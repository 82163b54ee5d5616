import { expect, test } from "vitest";
import { nestingProblem } from "./nesting.ts";

const deep = (open: string, close: string, levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;

test.each([
  ["a short source, however deep", deep("(", ")", 3000), false],
  ["a long source of ordinary code", "const a = { b: [1, 2, { c: (3) }] };\n".repeat(5000), false],
  ["a long source that does not parse", `${"const a = 1;\n".repeat(5000)} const = ;`, false],
  ["brackets", deep("(", ")", 100_000), true],
  ["brackets that are never closed", "[".repeat(100_000), true],
  ["type arguments", `let a: ${"A<".repeat(50_000)}`, true],
  ["functions", deep("()=>{", "}", 50_000), true],
])("%s", async (_name, source, isTooDeep) => {
  expect((await nestingProblem(source)) !== undefined).toBe(isTooDeep);
});
