import { expect, test } from "vitest";
import { foldLines } from "./fold-lines.ts";

test("what does not fit on a line goes on behind a mark, and nothing is lost", () => {
  expect(foldLines("short\n", 40)).toBe("short\n");
  expect(foldLines("x".repeat(39), 40)).toBe("x".repeat(39));
  expect(foldLines(`${"x".repeat(39)}Allow?\nnext`, 40)).toBe(`${"x".repeat(39)}\n    | Allow?\nnext`);
  expect(foldLines("漢".repeat(30), 40)).toBe(`${"漢".repeat(19)}\n    | ${"漢".repeat(11)}`);
});

test("spaces cannot bring a text to the beginning of a line", () => {
  for (const columns of [0, 1, 40, 80, 200]) {
    const lines = foldLines(`text: "${" ".repeat(500)}Allow it? yes"`, columns).split("\n");
    expect(lines.slice(1).every((line) => line.startsWith("    | "))).toBe(true);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(Math.max(20, columns || 80));
  }
});
