import { describe, expect, test } from "vitest";
import type { Library } from "../catalog/tool.ts";
import { type GeneratedFilesOptions, generatedFiles, generatedMarker } from "./generated-files.ts";

const library: Library = {
  server: "my arxiv",
  module: "my_arxiv",
  description: "Papers",
  tools: [
    {
      name: "search-papers",
      identifier: "search_papers",
      description: "Finds.",
      inputSchema: { type: "object", properties: { query: {}, "max-results": {}, from: {} } },
    },
    { name: "tool", identifier: "tool", description: "", inputSchema: { type: "object" } },
  ],
};

const filesOf = (libraries: readonly Library[], options: Partial<GeneratedFilesOptions> = {}) =>
  generatedFiles(libraries, { pythonCoordinator: '"""Speaks to the coordinator."""\n', ...options });

const typescript = [
  "package.json",
  "_coordinator.js",
  "_coordinator.d.ts",
  "index.js",
  "index.d.ts",
  "my_arxiv.js",
  "my_arxiv.d.ts",
];
const python = [
  "py.typed",
  "_coordinator.py",
  "__init__.py",
  "__init__.pyi",
  "aio/__init__.py",
  "aio/__init__.pyi",
  "my_arxiv.py",
  "my_arxiv.pyi",
  "aio/my_arxiv.py",
  "aio/my_arxiv.pyi",
];

test.each<[string, Partial<GeneratedFilesOptions>, string[]]>([
  ["both languages", {}, ["README.md", ...typescript, ...python]],
  ["TypeScript alone", { language: "typescript" }, ["README.md", ...typescript]],
  ["Python alone", { language: "python" }, ["README.md", ...python]],
])("a folder for %s holds the index, the binding to the coordinator and the libraries", (_, options, paths) => {
  expect([...filesOf([library], options).keys()]).toEqual(paths);
});

test("the first line of every file says that it is generated", () => {
  for (const text of filesOf([library]).values()) expect(text.split("\n")[0]).toContain(generatedMarker);
});

test("the README speaks of the languages that are there", () => {
  expect(filesOf([library], { language: "python" }).get("README.md")).not.toContain(".js");
  expect(filesOf([library], { language: "typescript" }).get("README.md")).not.toContain("Python");
});

test("package.json makes the folder ES modules", () => {
  const text = filesOf([library]).get("package.json") ?? "";
  expect(JSON.parse(text)).toEqual({ "//": generatedMarker, name: "mcp_tools", private: true, type: "module" });
});

test("a library's module is its names and nothing else", () => {
  expect(filesOf([library]).get("my_arxiv.js")).toBe(`// ${generatedMarker}
import { library as __connect } from "./_coordinator.js";

const __library = __connect("my arxiv");
export const { call, list_tools } = __library;
export const search_papers = __library.tool("search-papers");
export const tool = __library.tool("tool");
`);
});

test("so is its Python module, with the parameters that Python must call otherwise", () => {
  const table = `(globals(), "my arxiv", {
    "search_papers": ("search-papers", {"max_results": "max-results", "from_": "from"}),
    "tool": ("tool", {}),
})
`;
  const files = filesOf([library]);
  expect(files.get("my_arxiv.py")).toBe(`# ${generatedMarker}\nfrom ._coordinator import define\n\ndefine${table}`);
  expect(files.get("aio/my_arxiv.py")).toBe(
    `# ${generatedMarker}\nfrom .._coordinator import define_async\n\ndefine_async${table}`,
  );
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
    expect(filesOf([], options).get("_coordinator.js")).toContain(`= connectLibraries(${argument});`);
  });

  test.each<[string, { config?: string }, string]>([
    ["finds the configuration when it runs", {}, "None"],
    [
      "takes any file name",
      { config: '../50% "#1?\\\u2028\ud800\u{e0065}.json' },
      String.raw`"../50% \"#1?\\\u2028\ud800\U000e0065.json"`,
    ],
  ])("in Python %s", (_, options, literal) => {
    expect(filesOf([], options).get("__init__.py")).toContain(`\n_coordinator.config = ${literal}\n`);
  });
});

test.each(["../evil", "a/b", "index", "_coordinator", "aio", "", "é", ".git", "a.b"])(
  "%j never becomes a file",
  (module) => {
    expect(filesOf([{ ...library, module }])).toEqual(filesOf([]));
  },
);
