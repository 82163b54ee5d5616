import { describe, expect, test } from "vitest";
import { createTypeScope, typeOf } from "./schema-type.ts";

function printed(schema: unknown, unknown: "unknown" | "any" = "unknown") {
  const scope = createTypeScope("find_node", new Set(["find_node"]));
  const type = typeOf(schema, { unknown, scope });
  return scope.aliases.size === 0 ? type : { type, ...Object.fromEntries(scope.aliases) };
}

const text = { type: "string" };
const number = { type: "number" };

describe("a schema becomes a TypeScript type", () => {
  test.each<[string, unknown, unknown]>([
    ["string", text, "string"],
    ["number", number, "number"],
    ["integer", { type: "integer", minimum: 1 }, "number"],
    ["boolean", { type: "boolean" }, "boolean"],
    ["null", { type: "null" }, "null"],
    ["a format", { type: "string", format: "date-time" }, "string"],
    ["several types", { type: ["string", "integer", "number", "null"] }, "string | number | null"],
    ["nullable", { type: "string", nullable: true }, "string | null"],
    ["an unknown type", { type: "file" }, "unknown"],
    ["no type", {}, "unknown"],
    ["true", true, "unknown"],
    ["false", false, "never"],
    ["no schema", undefined, "unknown"],
    ["a text in place of a schema", "string", "unknown"],
    ["a list in place of a schema", [text], "unknown"],
    ["enum", { type: "string", enum: ["a", 'b"', 1, -2.5, true, null, "a"] }, '"a" | "b\\"" | 1 | -2.5 | true | null'],
    ["an empty enum", { type: "string", enum: [] }, "string"],
    ["const", { const: "a" }, '"a"'],
    ["const null", { const: null }, "null"],
    ["const of an object", { const: { a: [1, "x"], "b-c": {} } }, '{ a: [1, "x"]; "b-c": Record<string, never> }'],
    ["a number that JSON can say and a literal cannot", { const: Number.POSITIVE_INFINITY }, "number"],
    ["array", { type: "array", items: text }, "string[]"],
    ["array of alternatives", { type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    ["array of anything", { type: "array" }, "unknown[]"],
    ["items without a type", { items: number }, "number[]"],
    ["tuple", { type: "array", prefixItems: [text, number] }, "[string, number]"],
    ["tuple with a rest", { prefixItems: [text], items: { enum: [1, 2] } }, "[string, ...(1 | 2)[]]"],
    [
      "tuple with a minimum",
      { prefixItems: [text, { type: ["number", "null"] }], minItems: 1 },
      "[string, (number | null)?]",
    ],
    [
      "tuple of draft-07",
      { type: "array", items: [text, number], additionalItems: number },
      "[string, number, ...number[]]",
    ],
    ["a closed tuple", { prefixItems: [text], items: false }, "[string]"],
    ["anyOf", { anyOf: [text, number, text] }, "string | number"],
    ["oneOf", { oneOf: [text, { type: "null" }] }, "string | null"],
    ["anyOf that includes anything", { anyOf: [text, {}] }, "unknown"],
    [
      "anyOf beside a type that says it already",
      { type: "string", anyOf: [{ minLength: 1 }, { pattern: "x" }] },
      "string",
    ],
    ["allOf of one with a limit", { allOf: [text, { minLength: 1 }] }, "string"],
    ["not and if", { type: "string", not: { const: "a" }, if: {}, else: false }, "string"],
  ])("%s", (_, schema, type) => {
    expect(printed(schema)).toEqual(type);
  });

  test("a part of a result that is not known is any", () => {
    const schema = {
      type: "object",
      properties: { a: {}, b: { type: "array" }, c: { type: "object" } },
      required: ["a"],
    };
    expect(printed(schema, "any")).toBe("{ a: any; b?: any[]; c?: Record<string, any> }");
  });
});

describe("an object", () => {
  const a = { a: text };
  test.each<[string, unknown, unknown]>([
    [
      "required and optional",
      { type: "object", properties: { a: text, b: number }, required: ["a"] },
      "{ a: string; b?: number }",
    ],
    ["default is not optional", { properties: { a: { ...text, default: "x" } }, required: ["a"] }, "{ a: string }"],
    ["required without a property", { type: "object", required: ["a"] }, "{ a: unknown }"],
    ["required that is not a list", { type: "object", properties: a, required: "a" }, "{ a?: string }"],
    [
      "names that are not identifiers",
      { properties: { "a-b": text, "1": text, "": text } },
      '{ "1"?: string; "a-b"?: string; ""?: string }',
    ],
    [
      "names with a meaning elsewhere",
      { properties: { new: text, get: text, constructor: text } },
      "{ new?: string; get?: string; constructor?: string }",
    ],
    [
      "__proto__",
      JSON.parse('{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}'),
      "{ __proto__: string }",
    ],
    ["a forbidden property", { properties: { a: false } }, "{ a?: never }"],
    ["anything", { type: "object" }, "Record<string, unknown>"],
    ["no properties named", { type: "object", properties: {} }, "Record<string, unknown>"],
    ["nothing", { type: "object", additionalProperties: false }, "Record<string, never>"],
    ["a map", { type: "object", additionalProperties: { type: ["string", "null"] } }, "Record<string, string | null>"],
    [
      "a map by patterns",
      { patternProperties: { "^a": text, "^b": number }, additionalProperties: false },
      "Record<string, string | number>",
    ],
    [
      "further properties allowed",
      { properties: a, additionalProperties: true },
      "{ a?: string; [key: string]: unknown }",
    ],
    [
      "further properties that clash",
      { properties: a, required: ["a"], additionalProperties: number },
      "{ a: string; [key: string]: unknown }",
    ],
    [
      "further properties that fit",
      { properties: a, required: ["a"], additionalProperties: text },
      "{ a: string; [key: string]: string }",
    ],
    [
      "further properties beside an optional one",
      { properties: a, additionalProperties: text },
      "{ a?: string; [key: string]: unknown }",
    ],
    [
      "allOf",
      { allOf: [{ properties: a }, { properties: { b: number }, required: ["a"] }] },
      "{ a?: string } & { b?: number; a: unknown }",
    ],
    ["allOf beside type object", { type: "object", allOf: [{ properties: a }] }, "{ a?: string }"],
    [
      "one of several required",
      { type: "object", properties: a, anyOf: [{ required: ["a"] }, { required: ["b"] }] },
      "{ a?: string } & ({ a: unknown } | { b: unknown })",
    ],
  ])("%s", (_, schema, type) => {
    expect(printed(schema)).toEqual(type);
  });
});

describe("a reference", () => {
  const long = { type: "object", properties: { first: text, second: text, third: text, fourth: text } };
  const longType = "{ first?: string; second?: string; third?: string; fourth?: string }";
  const node = { type: "object", properties: { next: { $ref: "#/$defs/Node" } } };
  const fields = (...names: string[]) => ({
    properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/X" }])),
  });

  test.each<[string, unknown, unknown]>([
    ["used once stands in place", { ...fields("a"), $defs: { X: long } }, `{ a?: ${longType} }`],
    [
      "used twice has a name",
      { ...fields("a", "b"), $defs: { X: long } },
      { type: "{ a?: FindNode_X; b?: FindNode_X }", FindNode_X: longType },
    ],
    [
      "used twice and short is repeated",
      { ...fields("a", "b"), $defs: { X: { enum: ["x", "y"] } } },
      '{ a?: "x" | "y"; b?: "x" | "y" }',
    ],
    ["to definitions", { $ref: "#/definitions/a~1b", definitions: { "a/b": text } }, "string"],
    ["to a property", { properties: { a: text, b: { $ref: "#/properties/a" } } }, "{ a?: string; b?: string }"],
    ["with percent signs", { $ref: "#/$defs/a%20b", $defs: { "a b": text } }, "string"],
    ["with a percent sign that is none", { $ref: "#/$defs/5%", $defs: { "5%": text } }, "string"],
    ["to true", { $ref: "#/$defs/X", $defs: { X: true } }, "unknown"],
    ["to false", { $ref: "#/$defs/X", $defs: { X: false } }, "never"],
    ["beside other keywords", { $ref: "#/$defs/X", nullable: true, $defs: { X: text } }, "string | null"],
    ["to another document", { $ref: "https://example.org/schema.json" }, "unknown"],
    ["to a file", { $ref: "file:///etc/passwd" }, "unknown"],
    ["to nothing", { $ref: "#/$defs/X" }, "unknown"],
    ["to what every object inherits", { $ref: "#/constructor" }, "unknown"],
    ["that is not a text", { $ref: { a: 1 } }, "unknown"],
    [
      "that recurs",
      { $ref: "#/$defs/Node", $defs: { Node: node } },
      { type: "FindNode_Node", FindNode_Node: "{ next?: FindNode_Node }" },
    ],
    [
      "to the whole schema",
      { properties: { children: { items: { $ref: "#" } } } },
      { type: "FindNode_Input", FindNode_Input: "{ children?: FindNode_Input[] }" },
    ],
    [
      "that recurs in a map",
      { $ref: "#/$defs/X", $defs: { X: { additionalProperties: { $ref: "#/$defs/X" } } } },
      { type: "FindNode_X", FindNode_X: "{ [key: string]: FindNode_X }" },
    ],
    ["to itself", { $ref: "#" }, "unknown"],
    ["in a circle", { $ref: "#/$defs/A", $defs: { A: { $ref: "#/$defs/B" }, B: { $ref: "#/$defs/A" } } }, "unknown"],
    ["to itself in a union", { $ref: "#/$defs/A", $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, text] } } }, "unknown"],
    [
      "to itself in an intersection",
      { $ref: "#/$defs/A", $defs: { A: { allOf: [{ $ref: "#/$defs/A" }, text] } } },
      "string",
    ],
  ])("%s", (_, schema, type) => {
    expect(printed(schema)).toEqual(type);
  });

  test("names of two definitions that read the same are told apart", () => {
    const schema = {
      properties: {
        a: { $ref: "#/$defs/x-y" },
        b: { $ref: "#/$defs/x-y" },
        c: { $ref: "#/$defs/x y" },
        d: { $ref: "#/$defs/x y" },
      },
      $defs: { "x-y": long, "x y": { ...long, required: ["first"] } },
    };
    expect(printed(schema)).toEqual({
      type: "{ a?: FindNode_XY; b?: FindNode_XY; c?: FindNode_XY2; d?: FindNode_XY2 }",
      FindNode_XY: longType,
      FindNode_XY2: longType.replace("?", ""),
    });
  });
});

describe("a schema without end", () => {
  test("is unknown below a depth", () => {
    let schema: unknown = text;
    for (let level = 0; level < 10_000; level++) schema = { type: "array", items: schema };
    expect(printed(schema)).toBe(`unknown /* too deep */${"[]".repeat(13)}`);
  });

  test("loses the properties that are too many, and says so", () => {
    const schema = {
      properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`property_${index}`, text])),
    };
    const type = printed(schema);
    expect(type).toMatch(/^\{ property_0\?: string; .*; \[key: string\]: unknown \/\* too large \*\/ \}$/);
    expect(String(type).length).toBeLessThan(21_000);
  });

  test.each<[string, unknown]>([
    ["enum", { enum: Array.from({ length: 100_000 }, (_, index) => `value ${index}`) }],
    ["enum of long values", { enum: Array.from({ length: 1_000 }, (_, index) => `${index}`.repeat(10)) }],
    ["one long literal", { const: "x".repeat(100_000) }],
    [
      "an intersection of wide unions",
      {
        allOf: Array.from({ length: 4 }, (_, row) => ({
          enum: Array.from({ length: 20 }, (_, column) => row + column),
        })),
      },
    ],
  ])("is unknown as a whole where nothing of it can be left out: %s", (_, schema) => {
    expect(printed(schema)).toBe("unknown /* too large */");
  });

  test("keeps what comes after a literal that is too long", () => {
    const schema = { properties: { a: { const: "x".repeat(100_000) }, ["y".repeat(100_000)]: text, b: text } };
    expect(printed(schema)).toBe("{ a?: unknown /* too large */; b?: string; [key: string]: unknown /* too large */ }");
  });

  test("keeps what comes after an enum that is too long", () => {
    const values = Array.from({ length: 1_000 }, (_, index) => `${index}`.repeat(10));
    expect(printed({ properties: { a: { enum: values }, b: text } })).toBe(
      "{ a?: unknown /* too large */; b?: string }",
    );
  });

  test("of many positions ends in any further ones", () => {
    const type = String(printed({ prefixItems: Array.from({ length: 10_000 }, () => text) }));
    expect(type).toMatch(/^\[string, .*, \.\.\.unknown\[\] \/\* too large \*\/\]$/);
    expect(type.length).toBeLessThan(21_000);
  });

  test.each<[string, (next: object) => object]>([
    ["properties", (next) => ({ properties: { a: next, b: next } })],
    ["unions", (next) => ({ anyOf: [next, { items: next }, next] })],
    ["intersections", (next) => ({ allOf: [{ anyOf: [next, text] }, { anyOf: [next, number] }] })],
  ])("does not double with each reference in %s", (_, schemaOf) => {
    const definitions = Array.from({ length: 10_000 }, (_, index) => [
      `d${index}`,
      schemaOf({ $ref: `#/$defs/d${index + 1}` }),
    ]);
    const scope = createTypeScope("tool", new Set());
    const type = typeOf({ $ref: "#/$defs/d0", $defs: Object.fromEntries(definitions) }, { unknown: "unknown", scope });
    expect([type, ...scope.aliases].join("").length).toBeLessThan(25_000);
  });
});
