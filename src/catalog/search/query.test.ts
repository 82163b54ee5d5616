import { expect, test } from "vitest";
import { concepts, inEnglish } from "./query.ts";

const known = new Set(["flow", "chart", "time", "zone", "timezone", "screenshot", "table", "tool"]);
const ask = (query: string) => concepts(query, (word) => known.has(word));

test.each([
  ["please take a screenshot for me", [["take"], ["screenshot"]]],
  ["table Table TABLES", [["table"]]],
  ["flowchart", [["flow"], ["chart", "graph", "plot", "diagram", "visualize", "draw"]]],
  [
    "time zone",
    [
      ["time", "timezone"],
      ["zone", "timezone"],
    ],
  ],
  ["my PR", [["pull"], ["request"]]],
  ["folders", [["folders", "directory", "dir"]]],
  ["what is this", [["what"], ["is"], ["this"]]],
  ["?!", []],
  ["", []],
])("%j asks for %j", (query, expected) => {
  expect(ask(query).map(({ word, alternatives }) => [word, ...alternatives])).toEqual(expected);
});

test("a query asks for 24 things at most", () => {
  const query = Array.from({ length: 100 }, (_, number) => `word${number}`).join(" ");
  expect(ask(query).map(({ word }) => word)).toEqual(Array.from({ length: 24 }, (_, number) => `word${number}`));
});

test.each([
  ["删除 GitHub 分支", "delete GitHub branch"],
  ["截图", "screenshot"],
  ["Datei 検索", "file search search"],
  ["凤凰", "凤凰"],
  ["take a screenshot", "take a screenshot"],
])("what %j is about is asked of %j", (query, english) => {
  expect(
    inEnglish(query, (word) => word === "分支")
      .trim()
      .split(/\s+/)
      .join(" "),
  ).toBe(english);
});
