import { expect, test } from "vitest";
import { createLibrary } from "./library.ts";
import { similarNames } from "./similar-names.ts";

const tools = ["take_screenshot", "list_pages", "createIssue", "日本"].map((name) => ({ name }));
const { library } = createLibrary({ name: "one" }, { tools }, "one");

test.each([
  ["skreenschott", ["take_screenshot"]],
  ["creaate isssues", ["createIssue"]],
  ["pagination", ["list_pages"]],
  ["xyzzy", []],
  ["", []],
  ["?!", []],
])("%j looks like %j", (query, expected) => {
  expect(similarNames(query, [library], 3).map(({ tool }) => tool.name)).toEqual(expected);
});

test("no more than asked for, and a long query costs no more than a short one", () => {
  expect(similarNames(`list take create ${"x ".repeat(100_000)}`, [library], 2)).toHaveLength(2);
});
