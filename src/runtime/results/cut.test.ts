import { describe, expect, test } from "vitest";
import { cutText, cutValue } from "./cut.ts";
import { estimateTokens } from "./tokens.ts";

const rows = Array.from({ length: 10_000 }, (_, id) => ({ id, name: `user ${id}` }));

describe("a value over the budget", () => {
  test("keeps whole leading items of an array", () => {
    const { shown, kept } = cutValue(rows, 500);
    expect(shown).toEqual(rows.slice(0, (shown as unknown[]).length));
    expect(kept).toEqual({ shown: (shown as unknown[]).length, total: 10_000, unit: "items" });
    expect(estimateTokens(JSON.stringify(shown))).toBeLessThanOrEqual(500);
    expect((shown as unknown[]).length).toBeGreaterThan(10);
  });

  test("keeps leading keys of an object and cuts inside a large first one", () => {
    const { shown, kept } = cutValue({ rows, total: 10_000 }, 500);
    expect(Object.keys(shown as object)).toEqual(["rows"]);
    expect((shown as { rows: unknown[] }).rows.length).toBeGreaterThan(10);
    expect(kept).toEqual({ shown: 1, total: 2, unit: "keys" });
    expect(estimateTokens(JSON.stringify(shown))).toBeLessThanOrEqual(500);
  });

  test("keeps the start of a text", () => {
    const { shown, kept } = cutValue("word ".repeat(10_000), 100);
    expect(shown).toMatch(/^word .*…$/);
    expect(kept).toMatchObject({ total: 50_000, unit: "characters" });
  });
});

test("what fits is not touched", () => {
  expect(cutValue({ a: 1 }, 100)).toMatchObject({ shown: { a: 1 } });
  expect(cutValue({ a: 1 }, 100).kept).toBeUndefined();
  expect(cutText("fine", 100)).toMatchObject({ shown: "fine" });
});

test("a text over the budget keeps its start and its end and says how much is gone", () => {
  const { shown, kept } = cutText(`start\n${"line of log\n".repeat(5_000)}end`, 200);
  expect(shown.startsWith("start\n")).toBe(true);
  expect(shown.endsWith("end")).toBe(true);
  expect(shown).toMatch(/\[\.\.\. \d+ characters cut \.\.\.\]/);
  expect(kept?.total).toBe(60_009);
  expect(estimateTokens(shown)).toBeLessThan(260);
});

describe("a text of white space over the budget", () => {
  const blank = "\n \t".repeat(330_000);

  test("is cut as a text", () => {
    expect(cutText(blank, 4000).shown.length).toBeLessThan(4000 * 12);
  });

  test("is cut as a value", () => {
    expect((cutValue(blank, 4000).shown as string).length).toBeLessThan(4000 * 12);
  });
});

test("a large value at the end of 500 lists is cut in time that does not depend on its depth", {
  timeout: 10_000,
}, () => {
  let value: unknown = Array.from({ length: 400_000 }, (_, index) => `item ${index} of a list`);
  for (let level = 0; level < 500; level++) value = [value];
  const { kept } = cutValue(value, 4000);
  expect(kept).toEqual({ shown: 1, total: 1, unit: "items" });
});
