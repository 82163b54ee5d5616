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
