import { describe, expect, test } from "vitest";
import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { sketchTools } from "./sketch.ts";

const text = { type: "string" };

function tool(properties: Record<string, unknown>, required: string[] = [], outputSchema?: JsonSchema): Tool {
  const inputSchema = { type: "object", properties, required };
  return {
    name: "t",
    identifier: "t",
    description: "",
    inputSchema,
    ...(outputSchema !== undefined && { outputSchema }),
  };
}

const sketchOf = (one: Tool, language: "typescript" | "python") => sketchTools([one], language).calls[0];

describe("a call is written with few words", () => {
  test.each<[string, Tool, string, string]>([
    ["nothing to give", tool({}), "t()", "t()"],
    ["a text", tool({ a: text }, ["a"]), "t({ a })", "t(*, a)"],
    ["an optional text", tool({ a: text }), "t({ a? })", "t(*, a=...)"],
    ["a number", tool({ a: { type: "integer" } }, ["a"]), "t({ a: number })", "t(*, a: int)"],
    ["an optional number", tool({ a: { type: "number" } }), "t({ a?: number })", "t(*, a: float = ...)"],
    ["a default", tool({ a: { type: "integer", default: 10 } }), "t({ a = 10 })", "t(*, a=10)"],
    ["a text by default", tool({ a: { ...text, default: "." } }), 't({ a = "." })', 't(*, a=".")'],
    ["a truth by default", tool({ a: { type: "boolean", default: true } }), "t({ a = true })", "t(*, a=True)"],
    [
      "a choice",
      tool({ a: { enum: ["x", "y"], default: "y" } }),
      't({ a: "x" | "y" = "y" })',
      't(*, a: "x" | "y" = "y")',
    ],
    [
      "a list of choices",
      tool({ a: { type: "array", items: { enum: ["x", "y"] } } }),
      't({ a?: ("x" | "y")[] })',
      't(*, a: ["x" | "y"] = ...)',
    ],
    ["a format", tool({ a: { ...text, format: "date-time" } }, ["a"]), "t({ a: date-time })", "t(*, a: date-time)"],
    ["a text or null", tool({ a: { anyOf: [text, { type: "null" }], default: null } }), "t({ a? })", "t(*, a=...)"],
    ["any object", tool({ a: { type: "object" } }, ["a"]), "t({ a: object })", "t(*, a: dict)"],
    [
      "objects by key",
      tool({ a: { type: "object", additionalProperties: { type: "number" } } }, ["a"]),
      "t({ a: { [key]: number } })",
      "t(*, a: { [key]: float })",
    ],
    ["what must be given first", tool({ a: text, b: text }, ["b"]), "t({ b, a? })", "t(*, b, a=...)"],
    ["a name that is not an identifier", tool({ "a-b": text }, ["a-b"]), 't({ "a-b" })', "t(*, a_b)"],
    ["nothing known", { ...tool({}), inputSchema: { type: "object" } }, "t({ … })", "t(…)"],
    [
      "a result",
      tool({}, [], { type: "object", properties: { a: text, b: { type: "boolean" } }, required: ["a"] }),
      "t(): { a, b?: boolean }",
      "t() -> { a, b?: bool }",
    ],
    [
      "a result that may be null",
      tool({}, [], { type: "object", properties: { a: { type: ["string", "null"] } }, required: ["a"] }),
      "t(): { a: string | null }",
      "t() -> { a: str | None }",
    ],
    [
      "a list as a result",
      tool({}, [], { type: "array", items: { type: "object", properties: { a: text } } }),
      "t(): { a? }[]",
      "t() -> [{ a? }]",
    ],
  ])("%s", (_what, one, typescript, python) => {
    expect(sketchOf(one, "typescript")).toBe(typescript);
    expect(sketchOf(one, "python")).toBe(python);
  });
});

test("what is given by position stands before the others", () => {
  const one = { ...tool({ key: text, value: {}, namespace: text }, ["key"]), positional: ["key", "value"] };
  expect(sketchTools([one], "typescript").calls).toEqual(["t(key, value?: any, { namespace? })"]);
  expect(sketchTools([one], "python").calls).toEqual(["t(key, value: Any = ..., *, namespace=...)"]);
});

test("a list of many can do without their results", () => {
  const one = tool({ a: text }, ["a"], { type: "object", properties: { b: text } });
  expect(sketchTools([one], "typescript", { mostOfResult: 0 }).calls).toEqual(["t({ a })"]);
});

test("a type that several share is written once", () => {
  const error = {
    type: "object",
    properties: { code: text, message: text, retryable: { type: "boolean" }, details: text },
  };
  const two = ["a", "b"].map((identifier) => ({ ...tool({}, [], { anyOf: [{ type: "string" }, error] }), identifier }));
  expect(sketchTools(two, "typescript")).toEqual({
    calls: ["a(): Result", "b(): Result"],
    types: ["Result = string | { code?, message?, retryable?: boolean, details? }"],
  });
});

test("a long result is narrower first, then less deep; the form of what it lists is kept", () => {
  const fields = Object.fromEntries(Array.from({ length: 20 }, (_, number) => [`field_number_${number}`, text]));
  const wide = tool({}, [], {
    type: "object",
    properties: { rows: { type: "array", items: { type: "object", properties: { id: text, name: text } } }, ...fields },
  });
  expect(sketchOf(wide, "typescript")).toMatch(
    /^t\(\): \{ rows\?: \{ id\?, name\? \}\[\], field_number_0\?, .*, … \}$/,
  );
});

describe("hostile schemas make no long text", () => {
  const doubling = (levels: number) => {
    const $defs: Record<string, unknown> = { d0: text };
    for (let level = 1; level <= levels; level++) {
      const next = { $ref: `#/$defs/d${level - 1}` };
      $defs[`d${level}`] = { type: "object", properties: { a: next, b: next, c: next } };
    }
    return { $defs, type: "object", properties: { x: { $ref: `#/$defs/d${levels}` } } };
  };
  test.each<[string, JsonSchema]>([
    ["references that double at each level", doubling(60)],
    ["a cycle", { type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } } }],
    [
      "many fields",
      { type: "object", properties: Object.fromEntries(Array.from({ length: 9000 }, (_, n) => [`f${n}`, text])) },
    ],
    ["many values", { type: "object", properties: { a: { enum: Array.from({ length: 9000 }, (_, n) => `v${n}`) } } }],
    ["a long name", { type: "object", properties: { ["n".repeat(100_000)]: text } }],
    ["a long value", { type: "object", properties: { a: { const: "v".repeat(100_000) } } }],
  ])("%s", (_what, schema) => {
    for (const language of ["typescript", "python"] as const) {
      const one = { name: "t", identifier: "t", description: "", inputSchema: schema, outputSchema: schema };
      expect(sketchOf(one, language)?.length).toBeLessThan(6_000);
    }
  });
});

describe("a text is shown by an example, where its description has one", () => {
  const described = (description: string) => sketchOf(tool({ a: { ...text, description } }, ["a"]), "typescript");
  test.each([
    ["Date and time in 24-hour format. e.g. 2025-03-23 12:30:00", "2025-03-23 12:30:00"],
    ["The IANA timezone name, e.g. Asia/Shanghai", "Asia/Shanghai"],
    ["An id (for example: 'PROJECT-1Z43')", "PROJECT-1Z43"],
    ["A date in ISO 8601 format", "ISO 8601 format"],
    ['Such as "app=nginx", or another selector', "app=nginx"],
  ])("%j", (description, example) => {
    expect(described(description)).toBe(`t({ a: like "${example}" })`);
  });
  test.each(["The name of a person, e.g. Ada", "Include category: one of many", "for example the first one"])(
    "%j says nothing",
    (description) => {
      expect(described(description)).toBe("t({ a })");
    },
  );
  test("given as such", () => {
    expect(sketchOf(tool({ a: { ...text, examples: ["x/y"] } }, ["a"]), "python")).toBe('t(*, a: like "x/y")');
  });
});
