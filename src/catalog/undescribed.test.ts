import { expect, test } from "vitest";
import type { JsonSchema } from "./tool.ts";
import { isUndescribed, undescribedNames } from "./undescribed.ts";

test.each<[boolean, JsonSchema]>([
  [true, {}],
  [true, true],
  [true, { $schema: "http://json-schema.org/draft-07/schema#" }],
  [true, { type: 7 }],
  [true, { type: "object", additionalProperties: true }],
  [true, { type: "object", additionalProperties: {} }],
  [false, { type: "object" }],
  [false, { type: "object", additionalProperties: false }],
  [false, { type: "object", properties: {} }],
  [false, { properties: { a: {} } }],
  [false, { type: "object", patternProperties: { "^x": {} } }],
  [false, { $ref: "#/$defs/a", $defs: { a: {} } }],
  [false, { anyOf: [{ type: "object" }] }],
])("%s for %j", (expected, inputSchema) => {
  expect(isUndescribed({ inputSchema })).toBe(expected);
});

test("their names are told, but not thousands of them", () => {
  const tools = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `t${index}`,
      identifier: `t${index}`,
      description: "",
      inputSchema: index === 1 ? { type: "object" } : {},
    }));
  expect(undescribedNames(tools(2))).toBe("t0");
  expect(undescribedNames(tools(1000))).toMatch(/^t0, t2, .*, t20 and 979 more$/);
});
