import { expect, test } from "vitest";
import { show } from "./show.ts";

class Point {
  readonly x = 1;
  readonly near = new Set(["a"]);
}
const cyclic: Record<string, unknown> = { name: "loop" };
cyclic["self"] = [cyclic];
let deep: unknown[] = [new Set()];
for (let level = 0; level < 10_000; level++) deep = [deep];

test.each<[string, object, string]>([
  ["plain data", { a: [1, "x", null, true] }, '{"a":[1,"x",null,true]}'],
  ["a set among plain data", { s: new Set([1, "x"]), a: [1] }, '{"s":Set [1,"x"],"a":[1]}'],
  ["maps", [new Map([["a", { b: 1 }]]), new Map([[{ k: 1 }, 2]])], '[Map {"a":{"b":1}},Map {{"k":1}:2}]'],
  ["a date", new Date(0), "1970-01-01T00:00:00.000Z"],
  ["a date inside", { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ["a class", new Point(), '{"x":1,"near":Set ["a"]}'],
  [
    "what JSON drops",
    { a: undefined, n: Number.NaN, big: 10n, f() {} },
    '{"a":undefined,"n":NaN,"big":10n,"f":[Function: f]}',
  ],
  [
    "errors",
    [new TypeError("no"), Object.assign(new Error("x", { cause: 1 }), { code: "c" })],
    '[TypeError: no,Error: x {"code":"c","cause":1}]',
  ],
  ["bytes", new Uint8Array(1003), `Uint8Array [${"0,".repeat(1000)}… 3 more]`],
  ["what keeps its contents to itself", [Promise.resolve(1), new WeakMap()], "[[Promise],[WeakMap]]"],
  ["a cycle", cyclic, '{"name":"loop","self":[[Circular]]}'],
])("%s is shown on one line", (_name, value, expected) => {
  expect(show(value)).toBe(expected);
});

test("what is endless or too deep ends", () => {
  expect(show(deep)).toMatch(/^\[+…\]+$/);
  const endless = new Set([1]);
  endless[Symbol.iterator] = function* () {
    for (;;) yield 1;
  } as never;
  expect(show(endless).length).toBeLessThan(3_000_000);
});
