import { expect, test } from "vitest";
import { matchesGlob } from "../catalog/glob.ts";
import { textTest } from "./text-pattern.ts";

const letters = ["a", "b", "*", "?", "ab"];
const words = (length: number): string[] =>
  length === 0 ? [""] : words(length - 1).flatMap((word) => letters.map((letter) => word + letter));

test("every short glob fits what the plain one fits", () => {
  const texts = ["", "a", "b", "ab", "ba", "aab", "abab", "abba", "bbbb", "a*b", "aXb"];
  const globs = [0, 1, 2, 3, 4].flatMap(words);
  const differences = globs.flatMap((glob) => {
    const fits = textTest(glob);
    return texts.filter((text) => fits(text) !== matchesGlob(text, glob)).map((text) => [glob, text]);
  });
  expect(differences).toEqual([]);
  expect(globs.length).toBeGreaterThan(700);
});
