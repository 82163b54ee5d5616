import { expect, test } from "vitest";
import { foldName, isGitFolder } from "./fold-name.ts";

test("names that macOS or Windows would take for one fold to the same", () => {
  expect(foldName("README.MD")).toBe(foldName("readme.md"));
  expect(foldName("caf\u00e9")).toBe(foldName("cafe\u0301"));
  expect(foldName("\u212aelvin")).toBe(foldName("kelvin"));
  expect(foldName("a.ts")).not.toBe(foldName("b.ts"));
});

test("git's folder is known in every spelling", () => {
  for (const name of [".git", ".GIT", ".Git", "git~1", ".g\u200cit", ".gıt"]) expect(isGitFolder(name)).toBe(true);
  for (const name of [".gitignore", "git", ".github", ".gitattributes"]) expect(isGitFolder(name)).toBe(false);
});
