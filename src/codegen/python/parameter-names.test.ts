import { expect, test } from "vitest";
import type { JsonSchema } from "../../catalog/tool.ts";
import { parameterNames } from "./parameter-names.ts";

const names = (inputSchema: unknown): Record<string, string> =>
  Object.fromEntries(
    parameterNames({ name: "t", identifier: "t", description: "", inputSchema: inputSchema as JsonSchema }),
  );
const properties = (...all: string[]) => ({ properties: Object.fromEntries(all.map((name) => [name, {}])) });

test.each<[string, unknown, Record<string, string>]>([
  [
    "a legal name stays",
    properties("query", "_x", "maxResults"),
    { query: "query", _x: "_x", maxResults: "maxResults" },
  ],
  [
    "a word of JavaScript alone stays",
    properties("new", "default", "this"),
    { new: "new", default: "default", this: "this" },
  ],
  [
    "a keyword gets an underscore",
    properties("from", "class", "None"),
    { from_: "from", class_: "class", None_: "None" },
  ],
  [
    "other characters become underscores",
    properties("max-results", "a.b", "X-Y z"),
    { max_results: "max-results", a_b: "a.b", X_Y_z: "X-Y z" },
  ],
  ["a leading digit gets one before it", properties("2fa"), { _2fa: "2fa" }],
  ["letters that Python would change do not stay", properties("ﬁx"), { _x: "ﬁx" }],
  [
    "names inside $ref, allOf and anyOf count",
    {
      $ref: "#/$defs/A",
      allOf: [properties("b-c")],
      anyOf: [properties("d-e"), { type: "string" }],
      $defs: { A: properties("a-a") },
    },
    { a_a: "a-a", b_c: "b-c", d_e: "d-e" },
  ],
  ["a name that is required but not described counts", { required: ["x-y"] }, { x_y: "x-y" }],
  ["no properties, no names", true, {}],
])("%s", (_, schema, expected) => {
  expect(names(schema)).toEqual(expected);
});

test("names that would become the same are told apart, in any order", () => {
  const forward = names(properties("a-b", "a.b", "a_b", "from", "from_"));
  expect(names(properties("from_", "from", "a_b", "a.b", "a-b"))).toEqual(forward);
  expect(forward).toMatchObject({ a_b: "a_b", from_: "from_" });
  expect(Object.values(forward).sort()).toEqual(["a-b", "a.b", "a_b", "from", "from_"]);
  expect(Object.keys(forward).filter((name) => !/^[a-z_][a-z0-9_]*$/.test(name))).toEqual([]);
});
