import { readdirSync, readFileSync } from "node:fs";
import { afterAll, describe, expect, test, vi } from "vitest";
import type { Library, Tool } from "../../catalog/tool.ts";
import { createTypeScriptChecker } from "./checker.ts";

const tool = (name: string, properties: object, required: string[], outputSchema?: Tool["outputSchema"]): Tool => ({
  name,
  identifier: name,
  description: "",
  inputSchema: { type: "object", properties, required },
  ...(outputSchema !== undefined && { outputSchema }),
});

const papers = {
  type: "array",
  items: {
    type: "object",
    properties: { title: { type: "string" }, year: { type: "number" } },
    required: ["title", "year"],
  },
};

const arxiv: Library = {
  server: "arxiv",
  module: "arxiv",
  description: "",
  tools: [
    tool("search_papers", { query: { type: "string" }, max_results: { type: "integer" } }, ["query"], papers),
    tool("read_paper", { id: { type: "string" } }, ["id"]),
  ],
};
const chroma: Library = { server: "chroma", module: "chroma", description: "", tools: [tool("add_documents", {}, [])] };

const checker = createTypeScriptChecker(
  "export declare const artifacts: { read(args: { uri: string }): Promise<string> };",
);
afterAll(() => checker[Symbol.asyncDispose]());

const found = async (code: string) => {
  const problems = await checker.check(code, [arxiv, chroma]);
  return problems.map(({ line, message }) => `${line}: ${message}`);
};
const imported = 'import { search_papers, read_paper } from "mcp_tools/arxiv";\n';

describe("what would go wrong is found, with its line", () => {
  test.each<[string, string, string | RegExp]>([
    [
      "an unknown tool",
      'import { serch_papers } from "mcp_tools/arxiv";',
      '1: "mcp_tools/arxiv" has no tool "serch_papers". Did you mean "search_papers"?',
    ],
    [
      "an unknown tool like no other",
      'import { frobnicate } from "mcp_tools/arxiv";',
      '1: "mcp_tools/arxiv" has no tool "frobnicate". It has: search_papers, read_paper.',
    ],
    [
      "an unknown server",
      'import { x } from "mcp_tools/arxvi";',
      '1: Cannot find module "mcp_tools/arxvi". Did you mean "mcp_tools/arxiv"?',
    ],
    ["a package", 'import _ from "lodash";', /^1: Cannot find module "lodash": it is not installed\.$/],
    [
      "a misspelled argument",
      `${imported}await search_papers({ qery: "x" });`,
      /^2: .*'qery'.*Did you mean to write 'query'\? It takes: search_papers\(/,
    ],
    ["a missing argument", `${imported}await search_papers({ max_results: 1 });`, /^2: .*'query' is missing/],
    [
      "no arguments at all",
      `${imported}await search_papers();`,
      "2: Expected 1 arguments, but got 0. It takes: search_papers(args: { query: string; max_results?: number })",
    ],
    [
      "an argument of the wrong type",
      `${imported}await search_papers({ query: 5 });`,
      "2: Type 'number' is not assignable to type 'string'. It takes: search_papers(args: { query: string; max_results?: number })",
    ],
    [
      "a wrong argument in a variable",
      `${imported}const args = { query: 5 };\nawait search_papers(args);`,
      /^3: .*number.*string/,
    ],
    [
      "a wrong argument through a namespace",
      'import * as a from "mcp_tools/arxiv";\na.search_papers({ query: 1 });',
      /^2: Type 'number'/,
    ],
    [
      "a property that the result lacks",
      `${imported}(await search_papers({ query: "x" }))[0].yeer;`,
      /^2: Property 'yeer'/,
    ],
    [
      "a forgotten await",
      `${imported}search_papers({ query: "x" }).map((p) => p);`,
      /^2: Property 'map' does not exist on type 'Promise.*await/,
    ],
    ["an unknown name", "console.log(papers);", "1: Cannot find name 'papers'."],
    ["a misspelled name", "const results = 1;\nresluts;", "2: Cannot find name 'resluts'. Did you mean 'results'?"],
    ["another misspelled name", "const item = 1;\nitme;", "2: Cannot find name 'itme'. Did you mean \"item\"?"],
    ["a name in a pattern", "const { first: [alpha] } = { first: [1] };\nalhpa;", /Did you mean ["']alpha["']\?$/],
    [
      "a server that is not imported",
      "arxiv.read_paper();",
      /Is 'import \* as arxiv from "mcp_tools\/arxiv"' missing\?$/,
    ],
    ["our own module", "artifacts.read();", /Is 'import \{ artifacts \} from "coordinator"' missing\?$/],
    ["a module of Node", "path.join();", /Is 'import path from "node:path"' missing\?$/],
    ["require", 'require("fs");', /Write 'import … from "…"' instead\.$/],
    ["a variable that is not declared", "total = 5;", "1: Cannot find name 'total'. Declare it: let total = …"],
    [
      "an unknown tool of a namespace",
      'import * as a from "mcp_tools/arxiv";\na.raed_paper();',
      '2: "mcp_tools/arxiv" has no tool "raed_paper". Did you mean "read_paper"?',
    ],
    [
      "a property that an object with many lacks",
      `const one = { ${Array.from("abcdefghijklm", (letter) => `${letter}: { key: "v }" }`).join(", ")}, entities: 1 };\none.entitys;`,
      /^2: Property 'entitys' does not exist; there are: a, b, .*, entities\. Did you mean "entities"\?$/,
    ],
    ["an assignment to a constant", "const a = 1;\na = 2;", /^2: Cannot assign to 'a' because it is a constant/],
    ["a call of what is not a function", `"x".length();`, /^1: This expression is not callable/],
    ["await where it cannot stand", "function f() { await 1; }", /^1: 'await' expressions are only allowed/],
    ["a name declared twice", "let a = 1;\nlet a = 2;", /Cannot redeclare/],
    ["a syntax error", "const = 1;", /^1: Variable declaration expected/],
    ["a name in a value beside types", "const x: Foo = nowhere as Foo;", "1: Cannot find name 'nowhere'."],
    [
      "a property beside ones that are assigned",
      "const o = { a: 1 };\nObject.assign(o, { b: 2 });\no.c;",
      /^3: Property 'c'/,
    ],
    ["a value that is imported beside types", 'import { type X, y } from "mcp_tools/arxiv";', /^1: .* has no tool "y"/],
    ["a property that cannot be set", '"abc".length = 2;', /^1: Cannot assign to 'length'/],
  ])("%s", async (_name, code, expected) => {
    expect((await found(code))[0]).toEqual(typeof expected === "string" ? expected : expect.stringMatching(expected));
  });

  test("every problem at once", async () => {
    expect(await found(`${imported}await read_paper({});\nawait search_papers({ query: 1 });`)).toHaveLength(2);
  });
});

describe("what would work is not stopped", () => {
  test.each<[string, string]>([
    [
      "a correct call",
      `${imported}const p = await search_papers({ query: "x" });\np.filter((x) => x.year > 2000).map((x) => x.title);`,
    ],
    ["a result of unknown type", `${imported}const r = await read_paper({ id: "1" });\nr.anything.at[0].all();`],
    ["a top-level return", "if (1) return 5;"],
    ["untyped parameters", "const f = (a, b) => a + b;\nf(1, 2);"],
    ["an array that grows", "const all = [];\nall.push(1);\nall.push('x');"],
    [
      "an object that grows",
      "const o = {};\no.a = 1;\no['b'] = 2;\nconsole.log(o.a);\nconst q = { x: 1 };\nq.y = 2;\nconsole.log(q.y);",
    ],
    ["a possible null", "'abc'.match(/b/)[0];\nnew Map([[1, 2]]).get(1).toFixed();"],
    ["loose arithmetic and coercion", "parseInt(5);\nMath.max('3', 2);\nconst n: number = 'x' as any;\n[] + 1;"],
    ["own types that do not fit", "const s: string = 5;\nfunction f(a: number) {}\nf('x');"],
    ["caught errors", "try { throw new Error('x') } catch (e) { console.log(e.message, e.server) }"],
    [
      "the standard library",
      "structuredClone(new URL('https://x.y').searchParams);\nsetTimeout(() => {}, 1);\ncrypto.randomUUID();\nnew Intl.NumberFormat('de');\nBuffer.from('x');\nprocess.stdout.write('x');",
    ],
    ["modules of Node", 'import { join } from "node:path";\nimport fs from "node:fs";\njoin("a", "b");'],
    [
      "our own modules",
      'import { list_servers, search, ToolError, call } from "mcp_tools";\nimport { artifacts } from "coordinator";\nawait artifacts.read({ uri: "x" });\n(await list_servers()).map((s) => s.name);\ncall("a", "b", {});',
    ],
    [
      "calls by exact name",
      'import { call, list_tools } from "mcp_tools/arxiv";\nawait call("any-name", { x: 1 });\nawait list_tools();',
    ],
    ["a question whether there is a name", 'typeof foo === "undefined";\nif (typeof bar !== "undefined") bar(1);'],
    [
      "names that only types have",
      "const x = 1 as Foo; let v: Undefined<string>; function f(a: Bar): Baz.Qux { return a; }",
    ],
    [
      "types that are not there",
      'import type { X } from "mcp_tools/arxiv"; import { type Y, call } from "mcp_tools/arxiv"; call;',
    ],
    ["modules of types alone", 'import type { Z } from "lodash"; interface A { x: Foo }\ntype B = typeof nothing;'],
    ["a value used as a type", "const one = 1; const other: one = 2;"],
    ["globals of its own", "globalThis.mine = 1;\nmine + 1;\nObject.assign(globalThis, { more: 2 });\nmore;"],
    ["an import that may fail", 'try { await import("lodash"); } catch {}\nawait import("zod").catch(() => 1);'],
    [
      "what a callback sets",
      "let done: (() => void) | undefined;\n[1].forEach(() => { done = () => {}; });\ndone?.();",
    ],
    ["what the code itself calls read-only", "const o: { readonly a: number } = { a: 1 };\no.a = 2;"],
    ["a question whether there is a property", 'const o = { a: 1 };\ntypeof o.b;\n"c" in o && o.c;'],
    ["properties under computed keys", 'const n = { a: 0 };\nfor (const k of ["b"]) n[k] = 1;\nn.b;'],
    ["properties that are assigned", "const o = { a: 1 };\nObject.assign(o, { b: 2 });\no.b;"],
    ["labels, and names that are only declared", "outer: for (;;) break outer;\ndeclare const given: number;"],
    ["unused things", "const unused = 1;\nimport * as a from 'mcp_tools/arxiv';"],
    ["JSON of any shape", "const d = JSON.parse('{}');\nd.a.b.c;"],
    [
      "iteration over what may be missing",
      `${imported}for (const p of (await read_paper({ id: "1" }))?.items ?? []) console.log(p);`,
    ],
  ])("%s", async (_name, code) => {
    expect(await found(code)).toEqual([]);
  });
});

test("a guest cannot make the compiler read the disk", async () => {
  expect(
    await found(
      '/// <reference path="/etc/hosts.ts" />\nimport x from "/etc/passwd";\nimport y from "../../../../etc/hosts";',
    ),
  ).toEqual([expect.stringContaining("/etc/passwd"), expect.stringContaining("etc/hosts")]);
});

test("a library that changed is seen by the next check", async () => {
  const code = 'import { renamed } from "mcp_tools/chroma";';
  expect(await found(code)).toHaveLength(1);
  const changed = { ...chroma, tools: [tool("renamed", {}, [])] };
  expect(await checker.check(code, [arxiv, changed])).toEqual([]);
  expect(await checker.check(code, [arxiv])).toHaveLength(1);
  expect(await checker.check(code, [changed])).toEqual([]);
});

test("after a stop the next check starts a new compiler", async () => {
  await checker.stop();
  expect(await found("nowhere;")).toEqual(["1: Cannot find name 'nowhere'."]);
});

describe("what a session has kept", () => {
  const kept = [
    { name: "rows" },
    { name: "search", from: { specifier: "mcp_tools/arxiv", member: "search_papers" } },
    { name: "arxiv", from: { specifier: "mcp_tools/arxiv", member: "*" } },
    { name: "Row" },
    { name: "Row", isType: true },
  ];
  const foundWith = async (code: string) => {
    const problems = await checker.check(code, [arxiv, chroma], { kept });
    return problems.map(({ line, message }) => `${line}: ${message}`);
  };

  test("is known, and may be declared again", async () => {
    expect(await foundWith("rows.anything; const r: Row = new Row(); search({ query: 'x' })")).toEqual([]);
    expect(await foundWith("const rows = 1; class Row {} rows + 1")).toEqual([]);
  });

  test("keeps the types of tools", async () => {
    expect(await foundWith("\nsearch({ qurey: 'x' })")).toEqual([expect.stringMatching(/^2: .*query/)]);
    expect(await foundWith("arxiv.read_paper({})")).toEqual([expect.stringContaining("id")]);
    expect(await foundWith("arxiv.raed_paper({ id: '1' })")).toEqual([expect.stringContaining("read_paper")]);
  });

  test("is of no other session", async () => {
    expect(await found("rows")).toEqual([expect.stringContaining("Cannot find name 'rows'")]);
  });
});

test("a text of the guest that looks like a module of ours, and is none, is told as it is", async () => {
  const [problem] = await found('const o = { "/guest/modules/%zz": 1 };\no.foo;');
  expect(problem).toContain('"/guest/modules/%zz"');
});

describe.runIf(process.platform === "linux")("the compiler's memory", () => {
  const compilers = (): number[] =>
    readdirSync("/proc").flatMap((name) => {
      const [, program, parent] = /^\d+ \((.*)\) \S (\d+)/.exec(statOf(name)) ?? [];
      return program === "tsc" && parent === String(process.pid) ? [Number(name)] : [];
    });
  const statOf = (pid: string): string => {
    try {
      return readFileSync(`/proc/${pid}/stat`, "utf8");
    } catch {
      return ""; // no process, or no longer
    }
  };

  test("is limited, and a check whose compiler ends for want of it says so", async () => {
    await checker.stop();
    const others = compilers();
    const names = Array.from({ length: 6000 }, (_, index) => `"k${index}"`).join("|");
    const heavy = Array.from(
      { length: 200 },
      (_, index) =>
        `type M${index} = { [P in K]: [P, ${index}] }; const x${index}: M${index}[K][0] = null as any as K;`,
    );
    const checked = checker.check(`type K = ${names};\n${heavy.join("\n")}`, []).catch((thrown: unknown) => thrown);
    // It is started a second time: it could have ended over something else.
    for (const seen of [others, undefined]) {
      const pid = await vi.waitFor(() => {
        const [found] = compilers().filter((id) => !seen?.includes(id));
        if (found === undefined) throw new Error("no compiler runs");
        return found;
      }, 20_000);
      expect(readFileSync(`/proc/${pid}/limits`, "utf8")).toMatch(/^Max data size +805306368 /m);
      process.kill(pid, "SIGKILL");
      await vi.waitFor(() => expect(compilers()).not.toContain(pid), 20_000);
    }
    expect(await checked).toMatchObject({
      code: "check_timeout",
      message: "The type check needed more than 768 MB of memory",
    });
    expect(await checker.check("const one: number = 1;", [])).toEqual([]);
  }, 60_000);
});
