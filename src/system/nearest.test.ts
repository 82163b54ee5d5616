import { expect, test } from "vitest";
import { nearest } from "./nearest.ts";

test.each([
  ["serch_papers", ["search_papers", "list_papers"], "search_papers"],
  ["comand", ["command", "args"], "command"],
  ["agrs", ["args", "env"], "args"],
  ["GITHUB", ["github", "gitlab"], "github"],
  ["zebra", ["command", "args"], undefined],
  ["x", [], undefined],
])("nearest to %s among %j is %s", (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

test("the wanted word is found among ten thousand others", () => {
  const others = Array.from({ length: 10_000 }, (_, index) => `another_file_${index}.txt`);
  expect(nearest("serch_papers", [...others, "search_papers"])).toBe("search_papers");
});

test("words too long to be a slip of the hand are not compared, however many there are", { timeout: 10_000 }, () => {
  const word = "x".repeat(249);
  const files = Array.from({ length: 10_000 }, (_, index) => `${"x".repeat(240)}${index}`);
  for (let call = 0; call < 20; call++) expect(nearest(`${word}${call}`, files)).toBeUndefined();
});

test("a hundred misses among thousands of similar words take no more than a moment", { timeout: 10_000 }, () => {
  const names = Array.from({ length: 20_000 }, (_, index) => `${"ab".repeat(17)}${String(index).padStart(5, "0")}`);
  for (let call = 0; call < 100; call++) nearest(`${"ba".repeat(18)}${call}`, names);
});
