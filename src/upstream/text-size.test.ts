import { expect, test } from "vitest";
import { textSize } from "./text-size.ts";

test.each([
  ["a text", "x".repeat(1000)],
  ["texts", Array.from({ length: 100 }, () => "x".repeat(10))],
  ["rows", Array.from({ length: 100 }, (_, id) => ({ id, name: "someone" }))],
])("it is near the length of the JSON: %s", (_, value) => {
  const { length } = JSON.stringify(value);
  expect(textSize(value, 1e6)).toBeGreaterThan(length * 0.8);
  expect(textSize(value, 1e6)).toBeLessThan(length * 1.4);
});

test("it stops soon after the most that is wanted", () => {
  expect(
    textSize(
      Array.from({ length: 100 }, () => "x".repeat(100)),
      250,
    ),
  ).toBeLessThan(500);
  expect(textSize(Array(1e6).fill(0), 1000)).toBeGreaterThan(1000);
});

test("a value may nest deeper than calls can", () => {
  expect(textSize(JSON.parse(`${"[".repeat(1e5)}${"]".repeat(1e5)}`), 1e6)).toBeGreaterThanOrEqual(2e5);
});
