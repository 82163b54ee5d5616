import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createMirror, type Mirror } from "./mirror.ts";
import type { SkillVersion } from "./skill-store.ts";

test("a skill is a file with its tests beside it, and is read back", () => {
  const { mirror, folder } = open();
  const mark = write(mirror, skill({ tests: "test\n", tags: ["x"], description: "Other" }));
  expect(readdirSync(folder).sort()).toEqual(["report.test.ts", "report.ts"]);
  expect(mirror.mark("report")).toBe(mark);
  expect(mirror.read("report")).toEqual({
    language: "typescript",
    code: "/** A. */\n",
    description: "Other",
    tags: ["x"],
    tests: "test\n",
  });
});

test("tests that are gone from the skill go from the folder", () => {
  const { mirror, folder } = open();
  write(mirror, skill({ tests: "test\n" }));
  write(mirror, skill({}));
  expect(readdirSync(folder)).toEqual(["report.ts"]);
  mirror.remove("report");
  expect([readdirSync(folder), mirror.mark("report")]).toEqual([[], undefined]);
});

test("all marks are the marks of each, and other files are not skills", async () => {
  const { mirror, folder } = open();
  expect(await mirror.marks()).toEqual(new Map());
  const first = write(mirror, skill({ tests: "test\n" }));
  const second = write(mirror, skill({ name: "other", language: "python" }));
  for (const name of ["README.md", "Upper.ts", "a-b.py", ".hidden.ts", "report.d.ts"])
    writeFileSync(join(folder, name), "");
  expect(await mirror.marks()).toEqual(
    new Map([
      ["report", first],
      ["other", second],
    ]),
  );
});

test("a change of a file is a change of the mark", () => {
  const { mirror, folder } = open();
  const mark = write(mirror, skill({}));
  writeFileSync(join(folder, "report.ts"), "other");
  const changed = mirror.mark("report");
  expect(changed).not.toBe(mark);
  writeFileSync(join(folder, "report.test.ts"), "new tests");
  expect(mirror.mark("report")).not.toBe(changed);
});

test("what a killed process has left is removed once it is old", async () => {
  const { mirror, folder } = open();
  write(mirror, skill({}));
  const [old, young] = [".report.ts.0123456789ab.tmp", ".report.ts.ab0123456789.tmp"];
  for (const name of [old, young]) writeFileSync(join(folder, name), "half");
  utimesSync(join(folder, old), new Date(0), new Date(0));
  await mirror.marks();
  expect(readdirSync(folder).sort()).toEqual([young, "report.ts"]);
});

test.skipIf(process.platform === "win32")("a link is neither read nor written through", () => {
  const { mirror, folder } = open();
  const outside = join(folder, "..", "outside.txt");
  writeFileSync(outside, "secret");
  mkdirSync(folder, { recursive: true });
  symlinkSync(outside, join(folder, "report.ts"));
  expect(() => mirror.read("report")).toThrow("it is a symbolic link");
  write(mirror, skill({}));
  expect(readFileSync(outside, "utf8")).toBe("secret");
  expect(mirror.read("report").code).toBe("/** A. */\n");
});

test.each(["../outside", "a/b", "/etc/passwd", "a\\b", "A", ""])("%j is not a file of it", (name) => {
  const { mirror } = open();
  for (const use of [() => mirror.mark(name), () => mirror.read(name), () => mirror.remove(name)]) {
    expect(use).toThrow("is not the name of a skill");
  }
  expect(() => write(mirror, skill({ name }))).toThrow("is not the name of a skill");
});

test("a skill in two languages, tests alone and what is not a file are told", () => {
  const { mirror, folder } = open();
  mkdirSync(folder, { recursive: true });
  for (const name of ["both.ts", "both.py", "alone.test.ts"]) writeFileSync(join(folder, name), "");
  mkdirSync(join(folder, "folder.py"));
  expect(() => mirror.read("both")).toThrow("there are both both.ts and both.py");
  expect(() => mirror.read("alone")).toThrow("there are tests and no code");
  expect(() => mirror.read("folder")).toThrow("it is not a plain file");
});

test("what was prepared and is not wanted leaves nothing", () => {
  const { mirror, folder } = open();
  write(mirror, skill({}));
  mirror.prepare(skill({ code: "other", tests: "test" })).discard();
  expect([readdirSync(folder), mirror.read("report").code]).toEqual([["report.ts"], "/** A. */\n"]);
});

function write(mirror: Mirror, written: SkillVersion): string {
  return mirror.prepare(written).place();
}

function open() {
  const home = mkdtempSync(join(tmpdir(), "mirror-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const folder = join(home, "skills");
  return { mirror: createMirror(folder), folder };
}

function skill(change: Partial<SkillVersion>): SkillVersion {
  return {
    name: "report",
    version: 1,
    savedAt: 0,
    language: "typescript",
    description: "A.",
    tags: [],
    entry: { function: "report", isAsync: false, calling: "positional", parameters: [] },
    tools: [],
    imports: [],
    code: "/** A. */\n",
    ...change,
  };
}
