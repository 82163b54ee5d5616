import { expect, test } from "vitest";
import type { JsonSchema, Tool } from "../tool.ts";
import { libraryText, toolText } from "./search-text.ts";

function textOf(tool: Partial<Tool>): Record<string, string> {
  const whole: Tool = { name: "get", identifier: "get", description: "", inputSchema: true, ...tool };
  const text = { ...toolText(whole), ...libraryText({ server: "my-papers", description: "physics papers" }) };
  return Object.fromEntries(Object.entries(text).map(([place, words]) => [place, words.join(" ")]));
}

test("each part of a tool has its place", () => {
  const inputSchema = { properties: { maxResults: { description: "how many, at most" }, from_date: true } };
  const description = "Finds papers. Papers are sorted.\n```json\n{ hidden }\n```\nNewest first.";
  expect(textOf({ name: "search_papers", title: "Paper Search", description, inputSchema })).toEqual({
    name: "search papers paper search",
    summary: "finds papers",
    description: "papers sorted newest first",
    parameters: "maxresults max results from date",
    parameterNames: "maxresults fromdate",
    parameterText: "many most",
    server: "my papers",
    serverText: "physics papers",
  });
});

test.each<[string, JsonSchema]>([
  ["true", true],
  ["without properties", {}],
  ["with odd properties", { properties: "x" }],
  ["with properties null", { properties: null }],
  ["with odd descriptions", { properties: { a: null, b: { description: 7 }, c: "x", d: [] } }],
])("a schema that is %s can be searched", (_what, inputSchema) => {
  expect(textOf({ inputSchema })).toMatchObject({ name: "get", parameterText: "" });
});

test("how much of a tool is searched is bounded", () => {
  const text = Array.from({ length: 10_000 }, (_, number) => `w${number}`).join(" ");
  const properties = Object.fromEntries(text.split(" ").map((name) => [name, { description: text }]));
  const searched = textOf({ description: text, inputSchema: { properties } });
  expect(Object.values(searched).join(" ").split(" ").length).toBeLessThan(500);
});
