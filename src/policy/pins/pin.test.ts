import { expect, test } from "vitest";
import { isFlapping, strictestMode } from "./pin.ts";

const hour = 3_600_000;
const recent = (...looks: [hash: string, hour: number][]) => ({
  recent: looks.map(([hash, at]) => ({ hash, at: at * hour })),
});

test.each([
  ["three texts in a day", recent(["a", 1], ["b", 2], ["c", 3]), 24, true],
  ["two texts in turn", recent(["a", 1], ["b", 2], ["a", 3], ["b", 4]), 5, false],
  ["three texts in a week", recent(["a", 1], ["b", 70], ["c", 140]), 150, false],
  ["three texts some time ago", recent(["a", 1], ["b", 2], ["c", 3]), 30, false],
])("%s", (_what, pin, now, isSo) => expect(isFlapping(pin, now * hour)).toBe(isSo));

test("the strictest of several ways counts, and the mildest of none", () => {
  expect(strictestMode(["note", "strict", "review"])).toBe("strict");
  expect(strictestMode(["note", "review"])).toBe("review");
  expect(strictestMode([])).toBe("note");
});
