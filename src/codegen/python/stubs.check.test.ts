import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { JsonSchema, Library, Tool } from "../../catalog/tool.ts";
import { generatedFiles } from "../generated-files.ts";
import { pythonIndexStubs, pythonStubs } from "./stubs.ts";

const pyright = fileURLToPath(new URL("../../../node_modules/pyright/index.js", import.meta.url));
let folder: string;

// A checker waits its turn on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "python-stubs-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** What pyright says of stubs and a program beside them: `file:line rule`. */
async function check(files: ReadonlyMap<string, string>, program = ""): Promise<string[]> {
  const settings = JSON.stringify({ typeCheckingMode: "basic", reportMissingModuleSource: false });
  for (const [path, text] of [...files, ["main.py", program] as const, ["pyrightconfig.json", settings] as const]) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const output = await new Promise<string>((resolve) => {
    const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [pyright, "--outputjson"], options, (_, stdout) => resolve(stdout));
  });
  const { generalDiagnostics, summary } = JSON.parse(output);
  expect(summary.filesAnalyzed).toBe([...files.keys(), "main.py"].filter((path) => /\.pyi?$/.test(path)).length);
  return generalDiagnostics.map(
    (found: { file: string; rule?: string; range: { start: { line: number } } }) =>
      `${found.file.slice(folder.length + 1)}:${found.range.start.line + 1} ${found.rule ?? "error"}`,
  );
}

/** The stubs as the check before a run sees them. */
function checkStubs(...libraries: Library[]): Map<string, string> {
  return new Map([
    ["mcp_tools/__init__.pyi", pythonIndexStubs(libraries)],
    ["mcp_tools/aio/__init__.pyi", pythonIndexStubs(libraries, { async: true })],
    ...libraries.flatMap((library): [string, string][] => [
      [`mcp_tools/${library.module}.pyi`, pythonStubs(library)],
      [`mcp_tools/aio/${library.module}.pyi`, pythonStubs(library, { async: true })],
    ]),
  ]);
}

/** The stubs as people get them. */
function generatedStubs(...libraries: Library[]): Map<string, string> {
  const files = [...generatedFiles(libraries, { language: "python", pythonCoordinator: "" })];
  return new Map(files.filter(([path]) => path.endsWith(".pyi")).map(([path, text]) => [`mcp_tools/${path}`, text]));
}

function tool(identifier: string, inputSchema: unknown, outputSchema?: unknown): Tool {
  return {
    name: identifier,
    identifier,
    description: "Does.",
    inputSchema: inputSchema as JsonSchema,
    ...(outputSchema !== undefined && { outputSchema: outputSchema as JsonSchema }),
  };
}

function library(module: string, tools: Tool[]): Library {
  return { server: module, module, description: "", tools };
}

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });
const paper = {
  properties: { title: text, year: integer, score: { type: "number" }, note: { type: ["string", "null"] } },
};

const papers = library("papers", [
  tool(
    "search_papers",
    {
      properties: {
        query: text,
        limit: integer,
        sort: { enum: ["new", "old"] },
        from: text,
        "max-age": { type: "number" },
      },
      required: ["query"],
    },
    { type: "array", items: { ...paper, required: ["title"] } },
  ),
  tool("list_topics", { type: "object", properties: {} }),
  tool("add", {
    properties: {
      documents: {
        type: "array",
        items: { properties: { id: text, tags: { type: "array", items: text } }, required: ["id"] },
      },
      weights: { type: "array", items: { type: "number" } },
      labels: { additionalProperties: { type: "number" } },
    },
    required: ["documents"],
  }),
  tool("tag", { properties: { id: text }, required: ["id"], additionalProperties: integer }),
  tool("either", {}, { anyOf: [{ properties: { a: text } }, { properties: { b: integer } }, { type: "null" }] }),
]);

const names =
  "bool dict float int list object str tuple type None_ Any Iterator Literal Mapping Never NotRequired Protocol TypeAlias TypedDict TypeVar " +
  "_List _Item _Tool _list __builtins__ self print match case ToolError search";
const named = library(
  "named",
  names.split(" ").map((name) => {
    const nested = {
      properties: {
        [name]: text,
        list: { type: "array", items: text },
        int: integer,
        after: { type: "array", items: integer },
      },
      required: [name],
    };
    const pair = { prefixItems: [text, integer] };
    return tool(name, { properties: { [name]: text, str: text, other: nested, pair } }, nested);
  }),
);

const chain = (schemaOf: (next: object) => object) => {
  const definitions = Array.from({ length: 300 }, (_, index) => [`d${index}`, schemaOf(ref(`d${index + 1}`))]);
  return { properties: { root: ref("d0") }, $defs: Object.fromEntries(definitions) };
};
const both = (identifier: string, schema: unknown) => tool(identifier, schema, schema);
const nasty = library("nasty", [
  both("self_reference", { $ref: "#" }),
  both("recursion", { properties: { again: { $ref: "#" }, map: { additionalProperties: { $ref: "#" } } } }),
  both("union_of_self", {
    properties: { a: ref("A") },
    $defs: { A: { anyOf: [ref("A"), ref("B"), text] }, B: { oneOf: [ref("A"), { items: ref("B") }] } },
  }),
  both("intersection_of_self", {
    properties: { a: ref("A"), b: ref("A") },
    $defs: {
      A: { allOf: [ref("B"), { properties: { a: ref("A") } }] },
      B: { allOf: [ref("A")], properties: { b: ref("B") } },
    },
  }),
  both("map_of_self", {
    properties: { a: ref("A") },
    $defs: { A: { additionalProperties: { anyOf: [ref("A"), { type: "null" }] } } },
  }),
  both("tuple_of_self", {
    properties: { a: ref("A"), b: ref("B") },
    $defs: {
      A: { prefixItems: [ref("A"), { anyOf: [ref("A"), text] }], minItems: 1, items: ref("A") },
      B: { prefixItems: [ref("B"), text] },
    },
  }),
  both(
    "properties_chain",
    chain((next) => ({ properties: { a: next, b: next } })),
  ),
  both(
    "union_chain",
    chain((next) => ({ anyOf: [next, { items: next }, text] })),
  ),
  both(
    "intersection_chain",
    chain((next) => ({ allOf: [{ anyOf: [next, text] }, { properties: { a: next } }] })),
  ),
  both("open", { properties: { o: { properties: { a: text, "b-c": integer }, additionalProperties: integer } } }),
  both("closed", {
    properties: { o: { properties: { a: text }, additionalProperties: false } },
    additionalProperties: false,
  }),
  both("empty", { properties: { o: { type: "object", properties: {}, additionalProperties: false }, n: false } }),
  both("constants", { properties: { a: { enum: [1, -1, 1.5, 1e30, true, null, "x", [1, "y"], { k: [] }] } } }),
  both("deep", JSON.parse(`${'{"properties":{"a":'.repeat(150)}{}${"}}".repeat(150)}`)),
  both("large", {
    properties: Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p ${index}`, { enum: [index, `${index}`] }]),
    ),
  }),
  both("keys", {
    properties: {
      o: {
        properties: JSON.parse(
          '{"__proto__":{},"__x":{},"class":{},"None":{},"0":{},"a b":{},"":{},"\\u2028\\ud800":{},"Any":{}}',
        ),
      },
    },
  }),
  both("wrong", { type: 5, properties: [], required: {}, anyOf: {}, enum: "x", items: 3 }),
  both("missing", undefined),
]);

test("no stub has an error, whatever the tools are called and their schemas say", async () => {
  expect(await check(checkStubs(papers, named, nasty))).toEqual([]);
  expect(await check(generatedStubs(papers, named, nasty))).toEqual([]);
});

const right = `import asyncio, json
import mcp_tools
from mcp_tools import ToolError, call, list_servers, papers, search
from mcp_tools.papers import add, either, list_tools, list_topics, search_papers, tag
from mcp_tools.aio.papers import search_papers as twin

found = search_papers(query="x", limit=3, sort="new", from_="y", max_age=2)
titles = [paper["title"].upper() for paper in found if paper["year"] >= 2023]
print(list_topics().anything["at all"])
tag(id="x", weight=1)
papers.call("search_papers", {"query": "x"})
papers.call("another")
print([tool["identifier"].upper() for tool in list_tools()])
call("papers", "search_papers")
print([result["import"].upper() for result in search("x", server="papers", limit=1)])
print(sum(server["tools"] for server in list_servers()))
try:
    add(documents=[])
except ToolError as error:
    print(error.delivery == "unknown", error.server, error.tool, error.code, error.message)

async def main() -> None:
    first, second = await asyncio.gather(twin(query="x"), twin(query="y"))
    print(first[0]["title"].upper(), second)
asyncio.run(main())
`;

/** What works at run time, and what a checker with exact types would refuse. */
const loose = `from mcp_tools.papers import add, either, search_papers
found = search_papers(query="x")
made = [{"id": paper["title"]} for paper in found]
add(documents=made)
one = {"id": "a", "tags": ["x"], "more": 1}
add(documents=[one, {**one, "id": "b"}, dict(id="c")])
add(documents=({"id": "a"}, {"id": "b"}), weights=[1, 2], labels={"a": 1})
counts = [1, 2]
by_name = {"a": 1}
add(documents=found, weights=counts, labels=by_name)
search_papers(query=found[0]["note"], limit=found[0]["score"])
print(found[0]["note"].upper(), either()["a"], either()["b"])
`;

test("a right call is right", async () => {
  expect(
    await check(generatedStubs(papers), right.replace('paper["year"] >= 2023', "True").replace('server["tools"]', "1")),
  ).toEqual([]);
  await rm(join(folder, "mcp_tools"), { recursive: true });
  expect(await check(checkStubs(papers), right + loose)).toEqual([]);
});

const wrong = `from mcp_tools.papers import add, list_topics, search_papers, tag
from mcp_tools.papers import serach_papers
search_papers()
search_papers(limit=1)
search_papers(qery="x", query="x")
search_papers(query=1)
search_papers(query="x", sort="newest")
search_papers("x")
list_topics(a=1)
tag(id="x", weight="heavy")
add(documents="abc")
add(documents=["abc"])
add(documents=[], weights="12")
add(documents=[], labels={"a": "b"})
search_papers(query="x")[0]["titel"]
search_papers(query="x")[0].title
search_papers(query="x")[0]["title"].uper()
`;

test("a wrong call is not", async () => {
  const expected = [
    "main.py:2 reportAttributeAccessIssue",
    "main.py:3 reportCallIssue",
    "main.py:4 reportCallIssue",
    "main.py:5 reportCallIssue",
    "main.py:6 reportArgumentType",
    "main.py:7 reportArgumentType",
    "main.py:8 reportCallIssue",
    "main.py:9 reportCallIssue",
    "main.py:10 reportArgumentType",
    "main.py:11 reportArgumentType",
    "main.py:12 reportArgumentType",
    "main.py:13 reportArgumentType",
    "main.py:14 reportArgumentType",
    "main.py:15 reportGeneralTypeIssues",
    "main.py:16 reportAttributeAccessIssue",
    "main.py:17 reportAttributeAccessIssue",
  ];
  const found = await check(checkStubs(papers), wrong);
  expect([...new Set(found)]).toEqual(expected);
});
