import { expect, test } from "vitest";
import type { JsonSchema, Tool } from "../tool.ts";
import { aboutText, lengthOf, libraryText, toolText } from "./search-text.ts";

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

test("what is said in Chinese is there in English too, and is as long as its English", () => {
  const inputSchema = { properties: { city: { description: "城市" } } };
  const tool = {
    name: "天气",
    identifier: "tool",
    title: "天气 API",
    description: "查询天气。\n返回温度",
    inputSchema,
  };
  expect(textOf(tool)).toMatchObject({
    name: "天气 weather 天气 api weather",
    summary: "查询 询天 天气 search query get weather",
    description: "返回 回温 温度 temperature",
    parameterText: "城市 city",
  });
  expect(lengthOf(toolText(tool).summary)).toBe(4);
  expect(aboutText(tool).trim().split(/\s+/).join(" ")).toBe(
    "weather weather API search query get weather 。 temperature",
  );
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
