import { expect, test } from "vitest";
import { schemaSize } from "./schema-size.ts";

const nested = (depth: number) => JSON.parse(`${'{"items":'.repeat(depth)}true${"}".repeat(depth)}`);

test.each([
  [
    "an ordinary schema",
    { type: "object", properties: { a: { type: "string", enum: ["x", null, 1, true] } } },
    undefined,
  ],
  ["a missing one", undefined, undefined],
  ["200 levels", nested(200), undefined],
  ["201 levels", nested(201), "nested deeper than 200 levels"],
  ["100,000 levels", nested(100_000), "nested deeper than 200 levels"],
  ["a long text", { description: "a".repeat(262_000) }, undefined],
  ["a longer text", { description: "a".repeat(263_000) }, "larger than 256 KB"],
  ["a long key", { ["a".repeat(263_000)]: true }, "larger than 256 KB"],
  ["a long array", { enum: new Array(200_000).fill(1) }, "larger than 256 KB"],
])("%s is judged", (_name, schema, problem) => {
  expect(schemaSize(schema).problem).toBe(problem);
});
