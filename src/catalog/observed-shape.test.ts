import { expect, test } from "vitest";
import { observedSchema } from "./observed-schema.ts";
import { mergeShapes, type ObservedShape, observe, withinBounds } from "./observed-shape.ts";

const shapeOf = (...values: unknown[]): ObservedShape => values.map(observe).reduce(mergeShapes);
const schemaOf = (...values: unknown[]) => observedSchema(shapeOf(...values));

test.each<[string, unknown[], unknown]>([
  ["a text", ["hello"], { type: "string" }],
  ["numbers, whole and not", [1, 2.5], { type: "number" }],
  ["something or nothing", ["x", null], { anyOf: [{ type: "null" }, { type: "string" }] }],
  ["always nothing", [null, null], {}],
  ["an empty list", [[]], { type: "array", items: {} }],
  ["a list", [[1], [true]], { type: "array", items: { anyOf: [{ type: "boolean" }, { type: "integer" }] } }],
  [
    "an object, one of its keys optional",
    [{ id: 1, name: "Ada" }, { id: 2 }],
    { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } }, required: ["id"] },
  ],
  [
    "a text or an object",
    ["none", { id: 1 }],
    { anyOf: [{ type: "object", properties: { id: { type: "integer" } }, required: ["id"] }, { type: "string" }] },
  ],
  [
    "keys that are data",
    [{ total: 2, "ada@example.org": { age: 36 }, "bob@example.org": { age: 41 } }],
    {
      type: "object",
      properties: { total: { type: "integer" } },
      required: ["total"],
      additionalProperties: { type: "object", properties: { age: { type: "integer" } }, required: ["age"] },
    },
  ],
  [
    "names as keys of equal entries",
    [Object.fromEntries(["ada", "bob", "cyd", "dan", "eve"].map((name) => [name, { age: 1, city: "x" }]))],
    {
      type: "object",
      additionalProperties: {
        type: "object",
        properties: { age: { type: "integer" }, city: { type: "string" } },
        required: ["age", "city"],
      },
    },
  ],
  [
    "names as keys that do not come again",
    [
      { ada: 1, bob: 2 },
      { cyd: 3, dan: 4 },
      { eve: 5, fay: 6 },
    ],
    { type: "object", additionalProperties: { type: "integer" } },
  ],
  [
    "keys of the language",
    [{ constructor: 1, toString: 2 }, { constructor: 3 }],
    {
      type: "object",
      properties: { constructor: { type: "integer" }, toString: { type: "integer" } },
      required: ["constructor"],
    },
  ],
])("%s", (_what, values, schema) => {
  expect(schemaOf(...values)).toEqual(schema);
});

test("no value and no key that is data is kept", () => {
  const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
  const value = { user: { mail: "ada@example.org", [secret]: secret }, "ada@example.org": [secret], [secret]: 1 };
  const kept = JSON.stringify(shapeOf(value, value));
  expect(kept).toContain("mail");
  expect(kept).not.toMatch(/ada|example|ghp/);
});

test("a map stays one, whatever keys come later", () => {
  const map = Object.fromEntries(Array.from({ length: 5_000 }, (_, number) => [`name${number}x`, number]));
  const shape = shapeOf(map, { alice: 1 });
  expect(shape.object?.fields).toEqual({});
  expect(observedSchema(shape)).toEqual({ type: "object", additionalProperties: { type: "integer" } });
});

test("keys and types come out the same in any order", () => {
  const values = [{ id: 1, tags: [] }, { id: "x" }, { id: null, tags: ["y"], more: { deep: [1] } }];
  const sorted = (value: unknown) =>
    JSON.stringify(value, (_key, part) =>
      part && typeof part === "object" && !Array.isArray(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
    );
  expect(sorted(shapeOf(...values))).toBe(sorted(shapeOf(...values.toReversed())));
});

test("what is looked at and what is kept are bounded", () => {
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(JSON.stringify(observe(deep)).length).toBeLessThan(1_000);
  const wide = (depth: number): unknown =>
    depth === 0
      ? 1
      : Object.fromEntries([..."abcdefghi"].map((key, position) => [key, position % 2 ? wide(depth - 1) : "x"]));
  const kept = withinBounds(
    shapeOf(
      wide(7),
      Array.from({ length: 100_000 }, () => wide(1)),
    ),
  );
  expect(JSON.stringify(kept).length).toBeLessThan(40_000);
});
