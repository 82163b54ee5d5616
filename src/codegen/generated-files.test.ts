import { describe, expect, test } from "vitest";
import type { Library } from "../catalog/tool.ts";
import { generatedFiles, generatedMarker } from "./generated-files.ts";

const library: Library = {
  server: "my arxiv",
  module: "my_arxiv",
  description: "Papers",
  tools: [
    { name: "search-papers", identifier: "search_papers", description: "Finds.", inputSchema: { type: "object" } },
    { name: "tool", identifier: "tool", description: "", inputSchema: { type: "object" } },
  ],
};

test("a folder holds the index, the binding to the package and two files a library", () => {
  expect([...generatedFiles([library]).keys()]).toEqual([
    "package.json",
    "README.md",
    "_coordinator.js",
    "_coordinator.d.ts",
    "index.js",
    "index.d.ts",
    "my_arxiv.js",
    "my_arxiv.d.ts",
  ]);
});

test("the first line of every file says that it is generated", () => {
  for (const text of generatedFiles([library]).values()) expect(text.split("\n")[0]).toContain(generatedMarker);
});

test("package.json makes the folder ES modules", () => {
  const text = generatedFiles([library]).get("package.json") ?? "";
  expect(JSON.parse(text)).toEqual({ "//": generatedMarker, name: "mcp_tools", private: true, type: "module" });
});

test("a library's module is its names and nothing else", () => {
  expect(generatedFiles([library]).get("my_arxiv.js")).toBe(`// ${generatedMarker}
import { library as __connect } from "./_coordinator.js";

const __library = __connect("my arxiv");
export const { call, list_tools } = __library;
export const search_papers = __library.tool("search-papers");
export const tool = __library.tool("tool");
`);
});

describe("the binding to the package", () => {
  test.each<[string, { config?: string }, string]>([
    ["finds the configuration when it runs", {}, "{}"],
    [
      "names a file beside the folder",
      { config: "../mcp.json" },
      '{ config: new URL("../mcp.json", import.meta.url) }',
    ],
    [
      "takes any file name",
      { config: '../50% "#1?\\.json' },
      '{ config: new URL("../50%25%20%22%231%3F%5C.json", import.meta.url) }',
    ],
    ["takes half a character", { config: "\ud800" }, '{ config: new URL("%EF%BF%BD", import.meta.url) }'],
  ])("%s", (_, options, argument) => {
    expect(generatedFiles([], options).get("_coordinator.js")).toContain(`= connectLibraries(${argument});`);
  });
});

test.each(["../evil", "a/b", "index", "_coordinator", "", "é", ".git", "a.b"])("%j never becomes a file", (module) => {
  expect(generatedFiles([{ ...library, module }])).toEqual(generatedFiles([]));
});
