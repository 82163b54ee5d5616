import { expect, test } from "vitest";
import { createLibrary } from "../library.ts";
import { digestTools } from "./search-digest.ts";
import { createToolSearch } from "./tool-search.ts";

const names = ["take_screenshot", "list_pages", "createIssue", "日本"];
const tools = [...names.map((name) => ({ name })), { name: "one_more", title: "List of pages" }];
const { library } = createLibrary({ name: "one" }, { tools }, "one");
const search = createToolSearch();
for (const key of ["one", "two"]) {
  search.put(key, {
    ...library,
    digest: digestTools(library.tools),
    isAllowed: (name) => key === "one" || name !== "list_pages",
  });
}

test.each([
  ["skreenschott", ["take_screenshot"]],
  ["creaate isssues", ["createIssue"]],
  ["pagination", ["list_pages"]],
  ["xyzzy", []],
  ["", []],
  ["?!", []],
])("%j looks like %j", (query, expected) => {
  expect(search.similar(query, ["one"], 3).map(({ name }) => name)).toEqual(expected);
});

test("the most alike come first, equal ones in the order of their libraries, without those that are left out", () => {
  const similar = search.similar("lists pagez", ["two", "one"], 10).map(({ key, name }) => `${key}.${name}`);
  expect(similar).toEqual(["one.list_pages"]);
  const twice = search.similar("take shots", ["two", "one"], 10).map(({ key, name }) => `${key}.${name}`);
  expect(twice).toEqual(["two.take_screenshot", "one.take_screenshot"]);
});

test("no more than asked for, and a long query costs no more than a short one", () => {
  expect(search.similar(`list take create ${"x ".repeat(100_000)}`, ["one"], 2)).toHaveLength(2);
});
