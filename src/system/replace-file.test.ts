import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { replaceFile, replaceFileSync, writeDraft } from "./replace-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "replace-file-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ways: [string, (path: string, text: string, mode: number) => Promise<void>][] = [
  ["later", (path, text, mode) => replaceFile(path, text, { mode, flush: true })],
  ["at once", async (path, text, mode) => replaceFileSync(path, text, { mode, flush: true })],
];

test.each(ways)("a file is replaced %s, with its mode, and nothing is left beside it", async (_, replace) => {
  const path = join(folder, "file");
  await replace(path, "old", 0o644);
  await replace(path, "new", 0o600);
  expect(readFileSync(path, "utf8")).toBe("new");
  if (process.platform !== "win32") expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["file"]);
});

test.each(ways)("what cannot be put in place %s leaves nothing behind", async (_, replace) => {
  const path = join(folder, "a-folder");
  mkdirSync(join(path, "full"), { recursive: true });
  await expect(replace(path, "text", 0o600)).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(["a-folder"]);
});

test("a draft is nowhere until it is placed, and gone when it is discarded", () => {
  const path = join(folder, "file");
  const draft = join(folder, ".draft");
  const first = writeDraft(path, "one", { draft });
  expect(readdirSync(folder)).toEqual([".draft"]);
  first.discard();
  expect(readdirSync(folder)).toEqual([]);
  writeDraft(path, "two", { draft }).place();
  expect(readFileSync(path, "utf8")).toBe("two");
});
