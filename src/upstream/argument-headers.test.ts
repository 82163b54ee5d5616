import { expect, test } from "vitest";
import { ArgumentHeaders } from "./argument-headers.ts";

const tool = (properties: object, more: object = {}) => ({
  name: "tested",
  inputSchema: { type: "object", properties, ...more },
});
const asked = { type: "string", "x-mcp-header": "Region" };

test.each<[string, object, unknown, Record<string, string>]>([
  ["a plain string", { region: asked }, { region: "us west" }, { "Mcp-Param-Region": "us west" }],
  ["text beyond ASCII", { region: asked }, { region: "世" }, { "Mcp-Param-Region": "=?base64?5LiW?=" }],
  ["a line break", { region: asked }, { region: "a\r\nb" }, { "Mcp-Param-Region": "=?base64?YQ0KYg==?=" }],
  ["outer spaces", { region: asked }, { region: " a" }, { "Mcp-Param-Region": "=?base64?IGE=?=" }],
  ["the empty string", { region: asked }, { region: "" }, { "Mcp-Param-Region": "=?base64??=" }],
  [
    "what looks wrapped",
    { region: asked },
    { region: "=?base64?eA==?=" },
    { "Mcp-Param-Region": "=?base64?PT9iYXNlNjQ/ZUE9PT89?=" },
  ],
  ["null", { region: asked }, { region: null }, {}],
  ["nothing", { region: asked }, {}, {}],
  ["an object where a string was declared", { region: asked }, { region: {} }, {}],
  ["a number that is not an integer", { n: { type: "integer", "x-mcp-header": "N" } }, { n: 1.5 }, {}],
  [
    "numbers and booleans",
    { n: { type: "integer", "x-mcp-header": "N" }, b: { type: "boolean", "x-mcp-header": "B" } },
    { n: 7, b: false },
    { "Mcp-Param-N": "7", "Mcp-Param-B": "false" },
  ],
  [
    "a property inside a property",
    { at: { type: "object", properties: { region: asked } } },
    { at: { region: "eu" } },
    { "Mcp-Param-Region": "eu" },
  ],
  ["a property that has the name of the keyword", { "x-mcp-header": { type: "string" } }, { "x-mcp-header": "eu" }, {}],
])("headers of a call with %s", (_, properties, args, expected) => {
  const headers = new ArgumentHeaders();
  expect(headers.learn([tool(properties)]).leftOut).toEqual([]);
  expect(headers.of("tested", args)).toEqual(expected);
});

test.each<[string, object, object?]>([
  ["an empty name", { a: { type: "string", "x-mcp-header": "" } }],
  ["a name with a space", { a: { type: "string", "x-mcp-header": "My Region" } }],
  ["a name with a line break", { a: { type: "string", "x-mcp-header": "A\r\nEvil" } }],
  ["a name that is not a string", { a: { type: "string", "x-mcp-header": 7 } }],
  ["a value of another type", { a: { type: "number", "x-mcp-header": "A" } }],
  ["a value of no type", { a: { "x-mcp-header": "A" } }],
  ["two of the same name", { a: asked, b: { type: "string", "x-mcp-header": "REGION" } }],
  ["a place in a list", { a: { type: "array", items: asked } }],
  ["a place in an alternative", {}, { anyOf: [{ properties: { a: asked } }] }],
  ["a place in a definition", {}, { $defs: { a: asked } }],
])("a tool is left out for %s, and its neighbours stay", (_, properties, more) => {
  const headers = new ArgumentHeaders();
  const other = { name: "other", inputSchema: { type: "object" } };
  const { usable, leftOut } = headers.learn([tool(properties, more), other, "nonsense"]);
  expect(usable).toEqual([other, "nonsense"]);
  expect(leftOut).toEqual([{ name: "tested", reason: expect.stringContaining("x-mcp-header of") }]);
});
