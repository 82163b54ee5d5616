import { expect, test } from "vitest";
import { similarNames } from "./similar-names.ts";

const library = { server: "one", names: ["take_screenshot", "list_pages", "createIssue", "日本"] };

test.each([
  ["skreenschott", ["one.take_screenshot"]],
  ["creaate isssues", ["one.createIssue"]],
  ["pagination", ["one.list_pages"]],
  ["xyzzy", []],
  ["", []],
  ["?!", []],
])("%j looks like %j", (query, expected) => {
  expect(similarNames(query, [library], 3)).toEqual(expected);
});

test("no more than asked for, and a long query costs no more than a short one", () => {
  expect(similarNames(`list take create ${"x ".repeat(100_000)}`, [library], 2)).toHaveLength(2);
});
