import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkspace } from "../../workspace/workspace.ts";
import { createFileSource, languageOfFile } from "./file-source.ts";

const folder = mkdtempSync(join(tmpdir(), "file-source-"));
const root = join(folder, "root");
const workspace = createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 1, maxFiles: 100 });

beforeAll(async () => {
  const files = ["fib.ts", "lib/area.mts", "lib/index.ts", "app/main.ts", "fib.py", "app/fib.py", "tools/__init__.py"];
  for (const path of [...files, "tools/area.py", "only.js"]) await workspace.write(path, `// ${path}`);
  symlinkSync("/etc/hostname", join(root, "link.ts"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("TypeScript", () => {
  const source = createFileSource(workspace, "app/main.ts");
  test.each([
    ["../fib.ts", "./fib.ts"],
    ["../fib", "./fib.ts"],
    ["../only", "./only.js"],
    ["../lib/area", "./lib/area.mts"],
    ["../lib", "./lib/index.ts"],
    ["./main.ts", "./app/main.ts"],
    ["./fib.ts", undefined],
    ["fib.ts", undefined],
    ["/fib.ts", undefined],
    ["../../secret.ts", undefined],
    ["../link.ts", undefined],
    ["../fib.ts\0", undefined],
    ["lodash", undefined],
  ])("%j is %j", async (specifier, id) => {
    expect((await source.find(specifier, undefined))?.id).toBe(id);
  });

  test("a file's own imports are relative to it, those of others are not ours", async () => {
    const area = await source.find("../lib/area.mts", undefined);
    expect(source.find("./index.ts", area)).toEqual({
      id: "./lib/index.ts",
      language: "typescript",
      code: "// lib/index.ts",
    });
    expect(source.find("./fib.ts", { id: "skills/x@1", language: "typescript", code: "" })).toBeUndefined();
  });
});

test.each([
  ["fib", "./app/fib.py"],
  ["tools", "./tools/__init__.py"],
  ["tools.area", "./tools/area.py"],
  ["area", undefined],
])("Python: %s is %j", async (specifier, id) => {
  expect((await createFileSource(workspace, "app/main.py").find(specifier, undefined))?.id).toBe(id);
});

test("the ending tells the language", () => {
  expect(["a.ts", "a.mts", "a.js", "a.mjs", "a.py", "a.txt", "py"].map(languageOfFile)).toEqual([
    "typescript",
    "typescript",
    "typescript",
    "typescript",
    "python",
    undefined,
    undefined,
  ]);
});
