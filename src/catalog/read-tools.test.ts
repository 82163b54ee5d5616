import { expect, test } from "vitest";
import { readTools } from "./read-tools.ts";

const loose = { type: "object", additionalProperties: true };

test("a complete tool is read as it is", () => {
  const inputSchema = { type: "object", properties: { query: { type: "string" } }, required: ["query"], vendor: 1 };
  const outputSchema = { type: "object" };
  const annotations = { readOnlyHint: true, title: "Other" };
  const entry = {
    name: "search-papers",
    title: "Search",
    description: "Finds.",
    inputSchema,
    outputSchema,
    annotations,
  };
  expect(readTools([{ ...entry, _meta: {} }])).toEqual({
    tools: [{ ...entry, identifier: "search_papers" }],
    skipped: [],
  });
});

test.each([
  ["nothing but a name", {}, {}],
  ["a description that is not text", { description: { toString: "x" } }, {}],
  ["a title in its annotations", { annotations: { title: "T" } }, { title: "T", annotations: { title: "T" } }],
  ["annotations and schemas that are lists", { annotations: [], inputSchema: [], outputSchema: ["x"] }, {}],
  ["schemas that are true or false", { inputSchema: true, outputSchema: false }, {}],
  ["a schema that is null", { inputSchema: null, outputSchema: null, title: null }, {}],
  ["an empty schema", { inputSchema: {} }, { inputSchema: {} }],
  ["a schema of a wrong type", { inputSchema: { type: 7 } }, { inputSchema: { type: 7 } }],
  [
    "escapes in its texts",
    { description: "\u001b[1mbold\u202e", title: "a\nb" },
    { description: "bold", title: "a b" },
  ],
])("a tool with %s is usable", (_what, entry, expected) => {
  expect(readTools([{ name: "get", ...entry }])).toEqual({
    tools: [{ name: "get", identifier: "get", description: "", inputSchema: loose, ...expected }],
    skipped: [],
  });
});

test("a bad entry is named and does not hide its neighbours", () => {
  const raw = [
    { name: "first" },
    null,
    "text",
    [],
    {},
    { name: 7 },
    { name: "" },
    { name: `\u001b[31m${"n".repeat(100_000)}` },
    { name: "first", description: "again" },
    { name: "last" },
  ];
  const { tools, skipped } = readTools(raw);
  expect(tools.map(({ name, description }) => [name, description])).toEqual([
    ["first", ""],
    ["last", ""],
  ]);
  expect(skipped).toEqual([
    { name: "tool 2", reason: "it is not an object" },
    { name: "tool 3", reason: "it is not an object" },
    { name: "tool 4", reason: "it is not an object" },
    { name: "tool 5", reason: "it has no name" },
    { name: "tool 6", reason: "it has no name" },
    { name: "tool 7", reason: "it has no name" },
    { name: `${"n".repeat(79)}…`, reason: "its name is longer than 256 characters" },
    { name: "first", reason: "a tool before it has the same name" },
  ]);
});

test("names that mean something to JavaScript are tools like any other", () => {
  const raw = JSON.parse(
    '[{"name":"__proto__","__proto__":{"description":"evil"}},{"name":"constructor"},{"name":"toString"}]',
  );
  const { tools, skipped } = readTools(raw);
  expect(tools.map(({ name, identifier, description }) => [name, identifier, description])).toEqual([
    ["__proto__", "_proto__", ""],
    ["constructor", "constructor", ""],
    ["toString", "toString", ""],
  ]);
  expect(skipped).toEqual([]);
});

test("a schema that is too big to work with is left out and the tool stays", () => {
  const deep = JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`);
  const raw = [
    { name: "large", inputSchema: { description: "a".repeat(300_000) } },
    { name: "deep", inputSchema: { type: "object" }, outputSchema: { enum: deep }, annotations: { deep } },
  ];
  expect(readTools(raw)).toEqual({
    tools: [
      { name: "large", identifier: "large", description: "", inputSchema: loose },
      { name: "deep", identifier: "deep", description: "", inputSchema: { type: "object" } },
    ],
    skipped: [
      { name: "large", reason: "its inputSchema is larger than 256 KB" },
      { name: "deep", reason: "its outputSchema is nested deeper than 200 levels" },
      { name: "deep", reason: "its annotations is nested deeper than 200 levels" },
    ],
  });
});

test("a long description is cut", () => {
  const [tool] = readTools([{ name: "get", description: "a".repeat(10_000_000) }]).tools;
  expect(tool?.description).toBe(`${"a".repeat(3_999)}…`);
});

test("the first 5,000 tools of a server are kept", () => {
  const { tools, skipped } = readTools(Array.from({ length: 6_001 }, (_, number) => ({ name: `tool-${number}` })));
  expect(tools.length).toBe(5_000);
  expect(tools.at(-1)?.identifier).toBe("tool_4999");
  expect(skipped).toEqual([{ name: "1001 more tools", reason: "a server may have 5000 at most" }]);
});

test.each([undefined, null, {}, "tools", 7])("a list that is %j has no tools", (raw) => {
  expect(readTools(raw)).toEqual({ tools: [], skipped: [{ name: "tools", reason: "the list is not an array" }] });
});

test("of a million entries that are not tools, some are told and the others counted", { timeout: 10_000 }, () => {
  const { tools, skipped } = readTools([...Array(1_000_000).fill(null), { name: "good" }]);
  expect(tools.map(({ name }) => name)).toEqual(["good"]);
  expect(skipped).toHaveLength(101);
  expect(skipped.at(-1)).toEqual({ name: "999900 more tools", reason: "left out like those before" });
});

test("what the tools of a server take together is bounded, and those left out are counted", () => {
  const options = Array.from({ length: 10_000 }, (_, index) => `value ${index}`);
  const raw = Array.from({ length: 100 }, (_, index) => ({
    name: `tool${index}`,
    inputSchema: { type: "object", properties: { option: { enum: options } } },
  }));
  const { tools, skipped } = readTools(raw);
  expect(tools.length).toBeGreaterThan(50);
  expect(skipped).toEqual([
    { name: `${100 - tools.length} more tools`, reason: "the tools of a server may take 8 MB at most" },
  ]);
});
