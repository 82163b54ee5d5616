import { expect, test } from "vitest";
import { countStored, dataSize } from "./stored-data.ts";

test.each([
  ["text", "ab\u00e9".repeat(1000)],
  ["a list", [..."abc".repeat(100)]],
  ["an object", { name: "x", list: [{ long_key_of_an_object: "y".repeat(50) }], none: null, yes: true }],
])("is near the length of JSON: %s", (_name, value) => {
  const bytes = Buffer.byteLength(JSON.stringify(value));
  expect(dataSize(value) / bytes).toBeGreaterThan(0.9);
  expect(dataSize(value) / bytes).toBeLessThan(1.5);
});

test("of arguments that are none", () => {
  expect(dataSize(undefined)).toBe(8);
});

test("what does not fit is refused, and does not count: less still fits", () => {
  const stored = countStored(0, 900_000, 1);
  expect(() => countStored(stored, 200_000, 1)).toThrow(expect.objectContaining({ code: "storage_full" }));
  expect(countStored(stored, 50_000, 1)).toBe(950_000);
});
