import { expect, test } from "vitest";
import { allowed, matchesGlob } from "./glob.ts";

test.each([
  ["delete_user", "delete_*", true],
  ["delete_", "delete_*", true],
  ["undelete_user", "delete_*", false],
  ["get_user", "*_user", true],
  ["get_user_list", "*_user", false],
  ["get_user_list", "get*list", true],
  ["aXbXc", "a*b*c", true],
  ["abab", "*ab", true],
  ["get", "get", true],
  ["get", "GET", false],
  ["get", "", false],
  ["", "", true],
  ["", "*", true],
  ["", "?", false],
  ["anything", "*", true],
  ["anything", "***", true],
  ["get1", "get?", true],
  ["get", "get?", false],
  ["get12", "get?", false],
  ["get😀", "get?", true],
  ["a.b", "a.b", true],
  ["axb", "a.b", false],
  ["a+(b)[c]{d}^$|\\", "a+(b)[c]{d}^$|\\", true],
  ["a*b", "a?b", true],
])("%j fits the pattern %j: %s", (name, pattern, fits) => {
  expect(matchesGlob(name, pattern)).toBe(fits);
});

test("a pattern made to backtrack is answered", () => {
  expect(matchesGlob("a".repeat(5_000), `${"a*".repeat(500)}b`)).toBe(false);
});

test.each([
  [[], [], true],
  [["get_*"], [], true],
  [["list_*"], [], false],
  [[], ["*_user"], false],
  [["get_*"], ["get_user"], false],
  [["list_*", "get_user"], ["delete_*"], true],
])("with allow %j and deny %j, get_user is allowed: %s", (allow, deny, answer) => {
  expect(allowed("get_user", { allow, deny })).toBe(answer);
});
