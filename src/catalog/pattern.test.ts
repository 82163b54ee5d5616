import { expect, test } from "vitest";
import { matchPattern, readPattern } from "./pattern.ts";

test.each([
  ["/create.*issue/", "create.*issue"],
  [" /^get_/i ", "^get_"],
  ["/usr/bin/", "usr/bin"],
  ["/usr/bin", undefined],
  ["/", undefined],
  ["//", undefined],
  ["create issue", undefined],
  ["and/or", undefined],
])("%j is the pattern %j", (query, pattern) => {
  expect(readPattern(query)).toBe(pattern);
});

test("the first part that fits counts, in any case of letters", () => {
  expect(matchPattern("^is+ue$", [["Issue"], ["x", "isue"], ["tissue"], []])).toEqual([0, 1, -1, -1]);
});

test.each([
  ["(", 'Cannot search for "/(/": Unterminated group'],
  ["a{2,1}", "numbers out of order"],
  ["x".repeat(201), "longer than 200 characters"],
])("%j is refused with the reason", (pattern, reason) => {
  expect(() => matchPattern(pattern, [["a"]])).toThrow(reason);
});

test.each(["(a+)+$", "(a|a)*$", "(.*)*(.*)*(.*)*!"])("%s cannot stall the host", (pattern) => {
  const started = performance.now();
  expect(() => matchPattern(pattern, [[`${"a".repeat(5_000)}b`]])).toThrow("took longer than 100 ms");
  expect(performance.now() - started).toBeLessThan(5_000);
});

test("a pattern is data: nothing of it is executed, and nothing of the host is in reach", () => {
  expect(matchPattern('"[}][)]; process.exit[(]1[)]; //', [['"}); process.exit(1); //'], ["exit"]])).toEqual([0, -1]);
});
