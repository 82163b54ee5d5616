import { expect, test } from "vitest";
import { isPlain, toJson } from "./plain.ts";

const cyclic: Record<string, unknown> = { name: "loop" };
cyclic["self"] = { again: cyclic };
const shared = { a: 1 };

test.each<[string, unknown, string | undefined]>([
  ["nothing", undefined, undefined],
  ["plain data", { a: [1, "x", null, true] }, '{"a":[1,"x",null,true]}'],
  ["a date", new Date(0), '"1970-01-01T00:00:00.000Z"'],
  ["a big integer", { n: 2n ** 64n }, '{"n":"18446744073709551616"}'],
  ["a map with text keys", new Map([["a", new Set([1])]]), '{"a":[1]}'],
  ["a map with other keys", new Map([[1, "x"]]), '[[1,"x"]]'],
  ["numbers that JSON lacks", [Number.NaN, -Infinity], '["NaN","-Infinity"]'],
  ["an error", new TypeError("no"), '{"name":"TypeError","message":"no"}'],
  ["a function", { go: function go() {} }, '{"go":"[Function: go]"}'],
  ["bytes", new Uint8Array([1, 2]), "[1,2]"],
  ["a cycle", cyclic, '{"name":"loop","self":{"again":"[Circular]"}}'],
  ["a value met twice, which is not a cycle", [shared, shared], '[{"a":1},{"a":1}]'],
])("%s becomes JSON", (_name, value, expected) => {
  expect(toJson(value)).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ["plain data", [{ a: [1] }], true],
  ["undefined inside", { a: undefined }, false],
  ["a map", new Map(), false],
  ["a cycle", cyclic, false],
])("%s is plain: %s", (_name, value, expected) => {
  expect(isPlain(value)).toBe(expected);
});
