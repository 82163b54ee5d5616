import { createContext, runInContext } from "node:vm";
import { describe, expect, test } from "vitest";
import type { Declared } from "../compiled.ts";
import { compile } from "./compile.ts";

/** Runs programs one after the other in one global scope, as a session does. The code under test is our own. */
function createSession() {
  const scope = createContext({ setTimeout });
  const kept: Declared[] = [];
  const modules: Record<string, object> = { m: { a: 1, b: 2, default: 3 } };
  return {
    kept,
    async run(source: string): Promise<unknown> {
      const compiled = compile(source, { session: true });
      if ("problems" in compiled) throw new Error(JSON.stringify(compiled.problems));
      kept.push(...compiled.declared);
      const main = runInContext(compiled.code, scope, { filename: "guest.ts" }) as (load: unknown) => Promise<unknown>;
      return main(async (specifier: string) => modules[specifier]);
    },
  };
}

describe("a session keeps", () => {
  test.each<[string, string, string, unknown]>([
    ["constants and variables", "const a = 1; let b = 2\nvar c = 3", "[a, b, c]", [1, 2, 3]],
    [
      "typed ones",
      "const a: number = 1, b: Map<string, { x: 1 }> = new Map(); let c!: string;",
      "[a, b.size, c]",
      [1, 0, undefined],
    ],
    [
      "what is destructured",
      "const { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], x: 5 }",
      "[a, c, d, e]",
      [1, 2, [3, 4], { x: 5 }],
    ],
    ["defaults inside patterns", "const { a = 7, b: { c = 8 } = {} }: any = {}", "[a, c]", [7, 8]],
    [
      "arrow functions with their names",
      "const twice = (n: number): number => n * 2",
      "[twice(2), twice.name]",
      [4, "twice"],
    ],
    ["functions", "function twice(n: number) { return n * 2 }", "twice(2)", 4],
    ["functions used before they stand there", "const x = f(); function f() { return 1 }", "[x, f()]", [1, 1]],
    ["classes", "class A { constructor(private n: number) {} get() { return this.n } }", "new A(3).get()", 3],
    ["enums", "enum Colour { Red = 4 }", "Colour.Red", 4],
    [
      "imports",
      'import { a, b as c } from "m"; import * as m from "m"; import d from "m"',
      "[a, c, m.b, d]",
      [1, 2, 2, 3],
    ],
    [
      "what is exported",
      "export const a = 1; export function f() { return 2 } export class B {}",
      "[a, f(), typeof B]",
      [1, 2, "function"],
    ],
    ["awaited values", "const a = await Promise.resolve(5)", "a", 5],
    ["values over lines without semicolons", "const a = 1\nconst b = [2]\nconst c = a\n", "[a, b, c]", [1, [2], 1]],
  ])("%s", async (_name, first, second, expected) => {
    const session = createSession();
    await session.run(first);
    expect(await session.run(second)).toEqual(expected);
  });
});

test("a closure and a later run share a variable", async () => {
  const session = createSession();
  await session.run("let count = 0; const inc = () => ++count;");
  expect(await session.run("inc(); inc(); count += 10; count")).toBe(12);
  expect(await session.run("inc()")).toBe(13);
});

test("a name may be declared again, as something else", async () => {
  const session = createSession();
  await session.run("const a = 1");
  await session.run("let a = 'two'");
  await session.run("function a() { return 3 }");
  expect(await session.run("a()")).toBe(3);
});

test("what a block declares stays in the block", async () => {
  const session = createSession();
  await session.run("{ const inner = 1 } for (const item of [1]) {} if (true) { let x = 2 }");
  expect(await session.run("[typeof inner, typeof item, typeof x]")).toEqual(["undefined", "undefined", "undefined"]);
});

test("knows what it keeps: imports with their module, types as types", async () => {
  const session = createSession();
  await session.run(
    'import { a as x } from "m"; interface I {} type T = 1; class C {} const { p, q: [r] } = { p: 1, q: [2] };',
  );
  expect(session.kept).toEqual([
    { name: "x", from: { specifier: "m", member: "a" } },
    { name: "I", isType: true },
    { name: "T", isType: true },
    { name: "C" },
    { name: "C", isType: true },
    { name: "p" },
    { name: "r" },
  ]);
});

test("lines stay where they are", async () => {
  const source =
    "const a: {\n  x: number;\n} = { x: 1 };\nclass A {\n  f() { throw new Error('here') }\n}\nnew A().f()";
  const compiled = compile(source, { session: true });
  if ("problems" in compiled) throw new Error("does not compile");
  const error = await createSession()
    .run(source)
    .catch((thrown: Error) => thrown);
  const [, line, column] = /guest\.ts:(\d+):(\d+)/.exec((error as Error).stack ?? "") ?? [];
  expect(compiled.lineOf?.(Number(line), Number(column))).toBe(5);
});
