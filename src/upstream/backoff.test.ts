import { expect, test } from "vitest";
import { backoff } from "./backoff.ts";

test.each([
  [0, 0.5, 0],
  [1, 0.5, 0],
  [2, 0.5, 300],
  [2, 0, 225],
  [2, 1, 375],
  [3, 0.5, 600],
  [8, 0.5, 19_200],
  [9, 0.5, 30_000],
  [9, 1, 30_000],
  [5000, 0, 22_500],
])("after %i failures in a row and with luck %d: %i ms", (failures, random, delay) => {
  expect(backoff(failures, random)).toBe(delay);
});
