import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { staleness } from "./fresh-build.ts";

let folder: string;
const put = (name: string, second: number): void => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), "");
  utimesSync(join(folder, name), second, second);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "fresh-build-"));
  for (const name of ["scripts/build.mjs", "scripts/build/types.mjs", "package.json", "package-lock.json"])
    put(name, 100);
  for (const name of ["src/room/thing.ts", "src/room/thing.test.ts", "src/guest/kernel.py"]) put(name, 100);
  put("dist/guest/pyodide.snapshot", 200);
  for (const name of ["src/room", "src/guest", "scripts/build"]) utimesSync(join(folder, name), 100, 100);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("a build that is newer than all that it is made of is fresh", () => expect(staleness(folder)).toBeUndefined());

test.each(["src/room/thing.ts", "src/guest/kernel.py", "scripts/build/types.mjs", "package-lock.json"])(
  "a change of %s makes it stale",
  (name) => {
    put(name, 300);
    expect(staleness(folder)).toBe(`${name} is newer than dist/`);
  },
);

test("a change of a test does not", () => {
  put("src/room/thing.test.ts", 300);
  expect(staleness(folder)).toBeUndefined();
});

test("a file that was removed does", () => {
  rmSync(join(folder, "src/guest/kernel.py"));
  expect(staleness(folder)).toBe("src/guest is newer than dist/");
});

test("a build that was interrupted is stale", () => {
  rmSync(join(folder, "dist/guest/pyodide.snapshot"));
  expect(staleness(folder)).toBe("dist/guest/pyodide.snapshot is missing");
});
