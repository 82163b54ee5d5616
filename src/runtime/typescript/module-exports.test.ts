import { expect, test } from "vitest";
import { createLinkedModules } from "../../sandbox/guest/typescript/linked-modules.ts";
import { compileModule } from "./compile.ts";

/** What importers get of these modules, by running them as the guest does. */
function importFrom(codes: Readonly<Record<string, string>>) {
  const links = Object.keys(codes).map((id) => [id, id] as const);
  const modules = Object.entries(codes).map(([id, source]) => {
    const compiled = compileModule(source);
    if ("problems" in compiled) throw new Error(JSON.stringify(compiled.problems));
    return { id, code: compiled.code, links };
  });
  const refuse = (specifier: string): never => {
    throw new Error(`no ${specifier}`);
  };
  return createLinkedModules({ modules, load: async (specifier) => refuse(specifier), require: refuse })(links);
}

test.each<[string, Record<string, unknown>]>([
  ["export const a = 1, b = a + 1;", { a: 1, b: 2 }],
  ["export let a = 1\na = 2", { a: 2 }],
  ["export const { a, ...rest } = { a: 1, b: 2 }; export const [c = 3] = [];", { a: 1, rest: { b: 2 }, c: 3 }],
  ["export { a as b, a as 'odd name' }; const a = 1;", { b: 1, "odd name": 1 }],
  ["export default 1 + 1", { default: 2 }],
  ["export\n  default\n  [1, 2]\n;[3].length", { default: [1, 2] }],
  ["export default { a: 1 } satisfies object;", { default: { a: 1 } }],
  ["const a = 1; export { a as default };", { default: 1 }],
  ["export enum E { A = 'x' }", { E: { A: "x" } }],
  [
    "export interface I { a: 1 }\nexport type T = I;\nexport declare const none: T;\nexport const a: T = { a: 1 };",
    { a: { a: 1 } },
  ],
  ["type T = 1; export type { T }; export { type T as U }; export {};", {}],
  [
    "// export const no = 1\n/* export default 2 */ export const text = 'export default 3';",
    { text: "export default 3" },
  ],
  ["export const a = await Promise.resolve(1);", { a: 1 }],
])("exports of %j", async (source, expected) => {
  const names = Object.keys(expected);
  expect({ ...(await importFrom({ m: source })("m", names)) }).toEqual(expected);
});

test("functions and classes are exported, named or not", async () => {
  const load = importFrom({
    named:
      "export default function f() { return 1 }\nexport async function* g() { yield 2 }\nexport abstract class C { static n = 3 }",
    unnamed: "export default async (n: number) => n",
    klass: "export default class { n = 4 }",
  });
  const { default: f, g, C } = (await load("named")) as { default(): number; g(): AsyncGenerator; C: { n: number } };
  expect([f(), (await g().next()).value, C.n]).toEqual([1, 2, 3]);
  expect(await ((await load("unnamed"))["default"] as (n: number) => Promise<number>)(5)).toBe(5);
  expect(new ((await load("klass"))["default"] as new () => { n: number })().n).toBe(4);
});

test("a type is imported like a value, and has none", async () => {
  const exports = await importFrom({ m: "export interface I { a: 1 }\nexport const a = 1;" })("m", ["I", "a"]);
  expect([Object.keys(exports), exports["I"]]).toEqual([["a"], undefined]);
});

test("what other modules export is passed on; an own export comes first, a default does not pass", async () => {
  const load = importFrom({
    low: "export const a = 'low', b = 'low'; export default 'low';",
    high: "export * from 'low'; export const b = 'high'; export * as all from 'low'; export { a as c, default as d } from 'low';",
    through: "import { a } from 'low'; export { a };",
  });
  const { all, ...rest } = await load("high");
  expect([rest, { ...(all as object) }]).toEqual([
    { a: "low", b: "high", c: "low", d: "low" },
    { a: "low", b: "low", default: "low" },
  ]);
  expect(await load("through")).toMatchObject({ a: "low" });
});

test("a missing export, a module that throws, and one that is not there fail every time", async () => {
  const load = importFrom({ bad: "throw new Error('at once')", user: "import 'bad'", lost: "import './nowhere'" });
  await expect(load("bad")).rejects.toThrow("at once");
  await expect(load("user")).rejects.toThrow("at once");
  await expect(load("lost")).rejects.toThrow("no ./nowhere");
  await expect(importFrom({ m: "" })("m", ["a"])).rejects.toThrow('The module "m" has no export named "a"');
});

test("modules in a circle, also through a third, and loaded at once, are evaluated once", async () => {
  const load = importFrom({
    a: "import { b } from 'b'; export function a() { return 'a' } export const ab = a() + b();",
    b: "import { c } from 'c'; export function b() { return 'b' } export const bc = b() + c();",
    c: "import { a } from 'a'; export function c() { return 'c' } export const ca = () => c() + a();",
    d: "const all = await Promise.all([import('a'), import('b'), import('c')]); export const d = [all[0].ab, all[1].bc, all[2].ca()];",
  });
  expect((await load("d"))["d"]).toEqual(["ab", "bc", "ca"]);
});
