import { describe, expect, test } from "vitest";
import { compile } from "./compile.ts";

type Load = (specifier: string, names?: string[]) => Promise<Record<string, unknown>>;

/** Compiles and runs in this process: the code under test is our own. */
async function run(source: string, modules: Record<string, Record<string, unknown>> = {}): Promise<unknown> {
  const compiled = compile(source);
  if ("problems" in compiled) throw new Error(JSON.stringify(compiled.problems));
  const load: Load = async (specifier) => modules[specifier] ?? {};
  // biome-ignore lint/security/noGlobalEval: what the guest does with it
  return (globalThis.eval(compiled.code) as (load: Load) => Promise<unknown>)(load);
}

describe("compile", () => {
  test.each<[string, string, unknown]>([
    ["the last expression", "const a: number = 1; a + 1", 2],
    ["the last expression before a semicolon and a comment", "1 + 1; // two", 2],
    ["a promise, awaited", "Promise.resolve(3)", 3],
    ["a top-level return", "if (true) return 'early'; 'late'", "early"],
    ["nothing when the last statement is none", "const a = 1;", undefined],
    ["an object literal in parentheses", "({ a: 1 })", { a: 1 }],
    ["TypeScript that is more than types", "enum Colour { Red, Green }\nColour.Green", 1],
    ["an export default", "export default 5", 5],
    ["what stands after exports", "export const x = 2; export { x as y }; x", 2],
    ["nothing, for an empty program", "", undefined],
    ["a template over lines", "`a\nb`", "a\nb"],
  ])("returns %s", async (_name, source, expected) => {
    expect(await run(source)).toEqual(expected);
  });

  test.each<[string, string]>([
    ["named, renamed and typed", 'import { a, b as c, type T } from "m"; const x: T = [a, c]; x'],
    ["a namespace", 'import * as m from "m"; [m.a, m.b]'],
    ["a default beside a name", 'import a, { b } from "n"; [a, b]'],
    ["dynamic", '(await import("m")).a && [1, 2]'],
    ["below their use", 'const r = [a, b];\nr\nimport { a, b } from "m";\nr'],
  ])("binds imports: %s", async (_name, source) => {
    expect(await run(source, { m: { a: 1, b: 2 }, n: { default: 1, b: 2 } })).toEqual([1, 2]);
  });

  test("names every module that the guest imports, but not those of types alone", () => {
    const compiled = compile(
      'import { a } from "x"; import type { T } from "t"; import "y"; await import("z"); import(a);',
    );
    if ("problems" in compiled) throw new Error("does not compile");
    expect(compiled.imports.map(({ specifier }) => specifier)).toEqual(["x", "t", "y", "z"]);
    expect(compiled.imports[3]).toMatchObject({ line: 1, column: 70 });
    expect("code" in compiled && compiled.code.includes('__import("t"')).toBe(false);
  });

  test("maps an error back to the guest's line, past types that vanish", async () => {
    const source = "interface A {\n  a: string;\n}\n\nconst f = (): never => {\n  throw new Error('here');\n};\nf();";
    const compiled = compile(source);
    if ("problems" in compiled) throw new Error("does not compile");
    const error = await run(source).catch((thrown: Error) => thrown);
    const [, line, column] = /guest\.ts:(\d+):(\d+)/.exec((error as Error).stack ?? "") ?? [];
    expect(compiled.lineOf?.(Number(line), Number(column))).toBe(6);
  });

  test("refuses decorators, which no engine knows", () => {
    const problem = { line: 2, column: 10, message: "Decorators are not supported" };
    expect(compile("const mail = 'a@b';\nclass A {@log f() {} }")).toEqual({ problems: [problem] });
    expect(compile("const mail = 'a@b'; mail")).toHaveProperty("code");
  });

  test("says where it does not parse", () => {
    expect(compile("const a = 1;\nconst = 2;")).toEqual({
      problems: [{ line: 2, column: 7, message: "Unexpected token" }],
    });
  });
});
