import { expect, test } from "vitest";
import { skillNameProblem } from "./skill-name.ts";

test.each(["report", "a", "clean_rows2", "x".repeat(64)])("%s is a name", (name) => {
  expect(skillNameProblem(name)).toBeUndefined();
});

test.each(["", "Report", "2nd", "_x", "a-b", "a.b", "../x", "a/b", "a\\b", "a\0", "ä", "x".repeat(65), "a b"])(
  "%j is not a name",
  (name) => {
    expect(skillNameProblem(name)).toMatch(/is not a name for a skill/);
  },
);

test.each(["class", "def", "await", "lambda"])("%s is a word of a language", (name) => {
  expect(skillNameProblem(name)).toMatch(/word of TypeScript or Python/);
});

test.each(["con", "nul", "com1", "lpt9"])("%s is a device on Windows", (name) => {
  expect(skillNameProblem(name)).toMatch(/Windows/);
});
