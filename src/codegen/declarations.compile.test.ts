import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Library, Tool } from "../catalog/tool.ts";
import { generatedFiles } from "./generated-files.ts";

const compiler = fileURLToPath(new URL("../../node_modules/typescript/bin/tsc", import.meta.url));
let folder: string;

// A compiler waits its turn on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "codegen-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** What the real compiler says of a generated folder and the given programs beside it: `file(line): code`. */
async function compile(libraries: readonly Library[], programs: Record<string, string> = {}): Promise<string[]> {
  const generated = generatedFiles(libraries, { language: "typescript", pythonCoordinator: "" });
  const files = [...generated, ...Object.entries(programs)];
  await Promise.all(files.map(([path, text]) => writeFile(join(folder, path), text)));
  const sources = files.map(([path]) => path).filter((path) => path.endsWith(".ts"));
  const options = [
    "--noEmit",
    "--strict",
    "--target",
    "esnext",
    "--module",
    "nodenext",
    "--skipLibCheck",
    "false",
    "--pretty",
    "false",
  ];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, ...options, ...sources], { cwd: folder }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
  });
  return output
    .split("\n")
    .filter((line) => /^\S/.test(line))
    .map((line) => line.replace(/^(.*)\((\d+),\d+\): error (TS\d+):.*$/, "$1($2): $3"));
}

function tool(identifier: string, inputSchema: object | undefined, outputSchema?: object): Tool {
  const schema = inputSchema as Tool["inputSchema"];
  return {
    name: identifier,
    identifier,
    description: "Does.",
    inputSchema: schema,
    ...(outputSchema && { outputSchema: outputSchema as Tool["inputSchema"] }),
  };
}

function library(module: string, tools: Tool[]): Library {
  return { server: module, module, description: "", tools };
}

const text = { type: "string" };
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

const contextual = (
  "any as asserts async bigint boolean declare from get global globalThis infer intrinsic is keyof module namespace never number object of " +
  "out override readonly require satisfies set string symbol type undefined unique unknown using accessor defer Promise Record Object " +
  "Array Error exports constructor prototype toString library tool args search target meta"
).split(" ");

const papers = library("papers", [
  tool(
    "search_papers",
    { properties: { query: text, limit: { type: "integer" }, sort: { enum: ["new", "old"] } }, required: ["query"] },
    { type: "array", items: { properties: { title: text, year: { type: "integer" } }, required: ["title", "year"] } },
  ),
  tool("list_topics", { type: "object", properties: {} }),
  tool("grow", {
    properties: { root: ref("Node") },
    $defs: { Node: { properties: { label: text, children: { items: ref("Node") } }, required: ["label"] } },
  }),
  tool("either", {
    type: "object",
    properties: { a: text, b: text },
    anyOf: [{ required: ["a"] }, { required: ["b"] }],
  }),
  tool("tag", { properties: { id: text }, required: ["id"], additionalProperties: { type: "number" } }),
]);

const wide = { enum: Array.from({ length: 400 }, (_, index) => `value ${index}`) };
const chain = (schemaOf: (next: object) => object) => {
  const definitions = Array.from({ length: 300 }, (_, index) => [`d${index}`, schemaOf(ref(`d${index + 1}`))]);
  return { properties: { root: ref("d0") }, $defs: Object.fromEntries(definitions) };
};

const nasty = library("nasty", [
  tool("self", { $ref: "#" }, { $ref: "#" }),
  tool("union_of_self", {
    properties: { a: ref("A") },
    $defs: { A: { anyOf: [ref("A"), ref("B"), text] }, B: { oneOf: [ref("A"), { items: ref("B") }] } },
  }),
  tool("intersection_of_self", {
    properties: { a: ref("A"), b: ref("A") },
    $defs: {
      A: { allOf: [ref("B"), { properties: { a: ref("A") } }] },
      B: { allOf: [ref("A")], properties: { b: ref("B") } },
    },
  }),
  tool("map_of_self", {
    properties: { a: ref("A") },
    $defs: { A: { additionalProperties: { anyOf: [ref("A"), { type: "null" }] } } },
  }),
  tool("tuple_of_self", {
    properties: { a: ref("A") },
    $defs: { A: { prefixItems: [ref("A"), { anyOf: [ref("A"), text] }], minItems: 1, items: ref("A") } },
  }),
  tool("product", { properties: { a: { allOf: [wide, { anyOf: [wide, ref("W")] }, ref("W")] } }, $defs: { W: wide } }),
  tool(
    "properties_chain",
    chain((next) => ({ properties: { a: next, b: next } })),
  ),
  tool(
    "union_chain",
    chain((next) => ({ anyOf: [next, { items: next }, text] })),
  ),
  tool(
    "intersection_chain",
    chain((next) => ({ allOf: [{ anyOf: [next, text] }, { anyOf: [next, { type: "number" }] }] })),
  ),
  tool("index", {
    properties: { a: { type: "number" }, b: text },
    additionalProperties: text,
    patternProperties: { x: { items: text } },
  }),
  tool("deep", JSON.parse(`${'{"properties":{"a":'.repeat(150)}{}${"}}".repeat(150)}`)),
  tool("large", {
    properties: Object.fromEntries(
      Array.from({ length: 3_000 }, (_, index) => [`p ${index}`, { enum: [index, `${index}`] }]),
    ),
  }),
  tool("names", {
    properties: JSON.parse(
      '{"__proto__":{},"constructor":{},"new":{},"get":{},"readonly":{},"0":{},"-0":{},"a b":{},"":{},"\\u2028\\ud800":{}}',
    ),
  }),
  tool("wrong", { type: 5, properties: [], required: {}, anyOf: {}, enum: "x", items: 3 }),
  tool("missing", undefined),
]);

test("every declaration compiles, whatever the tools are called and their schemas say", async () => {
  const names = library(
    "names",
    contextual.map((name) => tool(name, { properties: { a: text } })),
  );
  expect(await compile([papers, nasty, names])).toEqual([]);
});

test("a right call compiles", async () => {
  const program = `import { call, list_servers, search, ToolError } from "./index.js";
import * as papers from "./papers.js";
import { either, grow, list_topics, search_papers, tag } from "./papers.js";
const found = await search_papers({ query: "x", limit: 3, sort: "new" });
const titles: string[] = found.filter((paper) => paper.year > 2023).map((paper) => paper.title);
await list_topics();
await list_topics({});
const anything: number = (await list_topics()).what.ever[0];
await grow({ root: { label: "a", children: [{ label: "b", children: [] }] } });
await either({ a: "x" });
await either({ b: "x" });
await tag({ id: "x", weight: 1 });
await papers.call("search_papers", { query: "x" });
await papers.call("another");
const names: string[] = (await papers.list_tools()).map((tool) => tool.identifier);
await call("papers", "search_papers");
const imports: string[] = (await search("x", { server: "papers", limit: 1 })).map((result) => result.import);
const counts: number[] = (await list_servers()).map((server) => server.tools ?? 0);
const isUnsure = (error: unknown) => error instanceof ToolError && error.delivery === "unknown" && error.message === error.tool;
`;
  expect(await compile([papers], { "right.ts": program })).toEqual([]);
});

test("a wrong call does not", async () => {
  const program = `import { either, grow, list_topics, search_papers } from "./papers.js";
import { serach_papers } from "./papers.js";
await search_papers();
await search_papers({ limit: 1 });
await search_papers({ qery: "x", query: "x" });
await search_papers({ query: 1 });
await search_papers({ query: "x", sort: "newest" });
await list_topics({ a: 1 });
await grow({ root: { label: "a", children: [{ label: 1 }] } });
await either({});
(await search_papers({ query: "x" }))[0]!.titel;
`;
  expect(await compile([papers], { "wrong.ts": program })).toEqual([
    "wrong.ts(2): TS2724",
    "wrong.ts(3): TS2554",
    "wrong.ts(4): TS2741",
    "wrong.ts(5): TS2561",
    "wrong.ts(6): TS2322",
    "wrong.ts(7): TS2322",
    "wrong.ts(8): TS2322",
    "wrong.ts(9): TS2322",
    "wrong.ts(10): TS2345",
    "wrong.ts(11): TS2551",
  ]);
});
