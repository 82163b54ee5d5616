import { describe, expect, test } from "vitest";
import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { signature } from "./signature.ts";

const paper = {
  type: "object",
  properties: { title: { type: "string" }, year: { type: "integer" } },
  required: ["title", "year"],
};

function tool(inputSchema: unknown, more: Partial<Tool> = {}): Tool {
  return {
    name: "search-papers",
    identifier: "search_papers",
    description: "",
    inputSchema: inputSchema as JsonSchema,
    ...more,
  };
}

test("a signature is one line that can be called as it reads", () => {
  const input = {
    type: "object",
    properties: { query: { type: "string" }, max_results: { type: "integer" } },
    required: ["query"],
  };
  expect(signature(tool(input, { outputSchema: { type: "array", items: paper } }))).toBe(
    "search_papers(args: { query: string; max_results?: number }): Promise<{ title: string; year: number }[]>",
  );
});

test("the types that a signature names follow it", () => {
  const tree = { type: "object", properties: { children: { type: "array", items: { $ref: "#" } } } };
  expect(signature(tool(tree, { outputSchema: tree }))).toBe(
    [
      "search_papers(args?: SearchPapers_Input): Promise<SearchPapers_Output>",
      "type SearchPapers_Input = { children?: SearchPapers_Input[] };",
      "type SearchPapers_Output = { children?: SearchPapers_Output[] };",
    ].join("\n"),
  );
});

describe("a result that was only observed", () => {
  const observed = { results: 3, schema: { type: "array", items: paper } };

  test("is marked as that", () => {
    expect(signature(tool({}, { observed }))).toBe(
      "search_papers(args?: Record<string, unknown>): Promise<{ title: string; year: number }[]> // observed in 3 results",
    );
    expect(signature(tool({}, { observed }), { docs: true })).toContain(
      "The type of the result was observed in 3 results; the server declares none.",
    );
  });

  test("is left out where the server declares one", () => {
    expect(signature(tool({}, { observed, outputSchema: { type: "string" } }))).toBe(
      "search_papers(args?: Record<string, unknown>): Promise<string>",
    );
  });

  test("takes no more than 1,500 characters, and nothing from the arguments", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, number) => [`key${number}`, { type: "string" }]),
    );
    const text = signature(tool(paper, { observed: { results: 1, schema: { type: "object", properties } } }));
    expect(text).toMatch(
      /^search_papers\(args: \{ title: string; year: number \}\): Promise<\{ key0\?: string; .*too large/,
    );
    expect(text.length).toBeLessThan(2_500);
  });
});

describe("the argument", () => {
  const a = { a: { type: "string" } };
  test.each<[string, unknown, string]>([
    ["no schema", undefined, "args?: Record<string, unknown>"],
    ["any schema", {}, "args?: Record<string, unknown>"],
    ["not an object", { type: "string" }, "args?: Record<string, unknown>"],
    ["any object", { type: "object" }, "args?: Record<string, unknown>"],
    ["no parameters", { type: "object", properties: {} }, "args?: Record<string, never>"],
    ["nothing allowed", { type: "object", additionalProperties: false }, "args?: Record<string, never>"],
    [
      "no parameters, more allowed",
      { type: "object", properties: {}, additionalProperties: true },
      "args?: Record<string, unknown>",
    ],
    ["a map", { type: "object", additionalProperties: { type: "number" } }, "args?: Record<string, number>"],
    ["nothing required", { type: "object", properties: a }, "args?: { a?: string }"],
    ["something required", { type: "object", properties: a, required: ["a"] }, "args: { a: string }"],
    [
      "required in a part",
      { allOf: [{ properties: a }, { required: ["a"] }] },
      "args: { a?: string } & { a: unknown }",
    ],
    [
      "required in one alternative",
      { anyOf: [{ properties: a, required: ["a"] }, { properties: a }] },
      "args?: { a: string } | { a?: string }",
    ],
    [
      "required in a definition",
      { $ref: "#/$defs/X", $defs: { X: { properties: a, required: ["a"] } } },
      "args: { a: string }",
    ],
  ])("%s", (_, schema, parameter) => {
    expect(signature(tool(schema))).toBe(`search_papers(${parameter}): Promise<any>`);
  });
});

describe("the docs", () => {
  function docs(properties: Record<string, unknown>, more: Partial<Tool> = {}): string[] {
    const [, ...lines] = signature(tool({ type: "object", properties }, more), { docs: true }).split("\n");
    return lines.slice(0, -2);
  }

  test("are the description and what the types do not say", () => {
    const properties = {
      query: { type: "string", description: "Words to\n look for.", minLength: 1, maxLength: 300 },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
      plain: { type: "string" },
      sort: { $ref: "#/$defs/Sort" },
    };
    const schema = { type: "object", properties, $defs: { Sort: { description: "The order.", enum: ["new", "old"] } } };
    expect(signature(tool(schema, { description: "Search papers." }), { docs: true })).toBe(
      [
        "/**",
        " * Search papers.",
        " * - query: Words to look for. (1..300 characters)",
        " * - limit: integer, 1..100, default 10",
        " * - sort: The order.",
        " */",
        'search_papers(args?: { query?: string; limit?: number; plain?: string; sort?: "new" | "old" }): Promise<any>',
      ].join("\n"),
    );
  });

  test.each<[string, Record<string, unknown>, string[]]>([
    [
      "one limit",
      { a: { minimum: 1 }, b: { maximum: 2 }, c: { exclusiveMinimum: 0, exclusiveMaximum: 1 } },
      ["a: >= 1", "b: <= 2", "c: > 0, < 1"],
    ],
    ["the same limit twice", { a: { minItems: 2, maxItems: 2 } }, ["a: 2 items"]],
    [
      "limits that say nothing",
      { a: { minLength: 0 }, b: { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER } },
      [],
    ],
    ["limits that are not numbers", { a: { minimum: "1", maximum: {}, exclusiveMinimum: true } }, []],
    ["a format and a pattern", { a: { format: "date", pattern: "^\\d+$" } }, ["a: date, matches ^\\d+$"]],
    ["a long pattern and a strange format", { a: { format: "*/ x", pattern: "x".repeat(41) } }, []],
    [
      "defaults",
      { a: { default: false }, b: { default: ["x", 1] }, c: { default: null }, d: { default: { a: 1 } } },
      ["a: default false", 'b: default ["x",1]'],
    ],
    ["a long default", { a: { default: "x".repeat(61) } }, []],
    [
      "an optional one",
      { a: { anyOf: [{ type: "integer", minimum: 0 }, { type: "null" }], description: "Page" } },
      ["a: Page (integer, >= 0)"],
    ],
    ["nested ones", { a: { items: { properties: { b: { description: "Inner" } } } } }, ["a[].b: Inner"]],
    ["a title in place of a description", { a: { title: "The A" } }, ["a: The A"]],
    ["a description that is not text", { a: { description: { toString: "x" } } }, []],
    ["a long description", { a: { description: "y".repeat(300) } }, [`a: ${"y".repeat(199)}…`]],
  ])("tell %s", (_, properties, lines) => {
    const described = docs(properties, { description: "Two\nlines." }).filter((line) => line.startsWith(" * - "));
    expect(described).toEqual(lines.map((line) => ` * - ${line}`));
  });

  test("are bounded, and say so", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 500 }, (_, index) => [`p${index}`, { description: "z".repeat(300) }]),
    );
    const lines = docs(properties, { description: "d".repeat(5_000) });
    expect(lines.at(-1)).toBe(" * - …");
    expect(lines.join("").length).toBeLessThan(6_000);
  });

  test("fall back to the title, and are absent without text", () => {
    expect(signature(tool({}, { title: "Search" }), { docs: true })).toMatch(/^\/\*\* Search \*\/\n/);
    expect(signature(tool({}), { docs: true })).toBe("search_papers(args?: Record<string, unknown>): Promise<any>");
  });
});
