import { expect, test } from "vitest";
import { keepRecent } from "./keep-recent.ts";

test("the entry that was put in the longest time ago falls out, and is told", () => {
  const map = new Map<string, number>();
  expect([keepRecent(map, "a", 1, 2), keepRecent(map, "b", 2, 2)]).toEqual([undefined, undefined]);
  expect(keepRecent(map, "a", 3, 2)).toBeUndefined();
  expect(keepRecent(map, "c", 4, 2)).toEqual(["b", 2]);
  expect([...map]).toEqual([
    ["a", 3],
    ["c", 4],
  ]);
});
