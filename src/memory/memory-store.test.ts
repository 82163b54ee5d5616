import { describe, expect, test } from "vitest";
import { mergePatch } from "./memory-store.ts";

describe("a merge patch", () => {
  // The examples of RFC 7396, appendix A, that tell one reading of it from another.
  test.each([
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [
      ["a", "b"],
      ["c", "d"],
      ["c", "d"],
    ],
    [{ a: "b" }, ["c"], ["c"]],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
    [undefined, { a: 1, b: null }, { a: 1 }],
  ])("of %j by %j makes %j", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("with __proto__ in it changes no prototype", () => {
    const merged = mergePatch({}, JSON.parse('{"__proto__": {"polluted": 1}}')) as object;
    expect([Object.getPrototypeOf(merged), JSON.stringify(merged)]).toEqual([
      Object.prototype,
      '{"__proto__":{"polluted":1}}',
    ]);
  });
});
