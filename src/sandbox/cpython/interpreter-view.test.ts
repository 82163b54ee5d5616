import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { mayBeLinked, viewOfInterpreter } from "./interpreter-view.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "view-test-")));
  vi.stubEnv("HOME", home);
  for (const secret of [".ssh/id", ".local/share/keyrings/login", "documents/letter", ".config/other/key"])
    file(secret);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

function file(name: string, text = ""): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

function link(name: string, target: string): string {
  const path = join(home, name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
  return path;
}

/** What of the home is shown. */
const shownOf = (program: string) =>
  [...viewOfInterpreter(program).readable.keys()]
    .filter((path) => path.startsWith(home))
    .map((path) => path.slice(home.length + 1))
    .toSorted();

test("of the home nothing is shown to the system's Python", () => {
  expect(shownOf("/usr/bin/python3")).toEqual([]);
});

test("a virtual environment is shown with the interpreter that it is a link to, or names as its home", () => {
  file("pythons/3.11/bin/python3.11");
  file("pythons/3.11/lib/python3.11/os.py");
  file("pythons/3.11/private/file");
  link("venv/bin/python", join(home, "pythons/3.11/bin/python3.11"));
  file("venv/lib/python3.11/site-packages/x.py");
  file("venv/pyvenv.cfg", "version = 3.11\n");
  const expected = ["pythons/3.11/bin", "pythons/3.11/lib", "venv/bin", "venv/lib", "venv/pyvenv.cfg"];
  expect(shownOf(join(home, "venv/bin/python"))).toEqual(expected);
  file("copied/bin/python");
  file("copied/pyvenv.cfg", `home = ${join(home, "pythons/3.11/bin")}\n`);
  expect(shownOf(join(home, "copied/bin/python"))).toEqual([
    ...["copied/bin", "copied/pyvenv.cfg", "pythons/3.11/bin", "pythons/3.11/lib"],
  ]);
});

test("a version manager's folder is shown whole, and the files that it goes by", () => {
  file(".pyenv/versions/3.11/bin/python3");
  file(".tool-versions");
  expect(shownOf(file(".pyenv/shims/python3"))).toEqual([".pyenv", ".tool-versions"]);
});

test.each([
  ["python3", ["python3"]],
  ["bin/python3", ["bin"]],
  ["shims/python3", ["shims"]],
  [".local/bin/python3", [".local/bin"]],
])("of a program at ~/%s no more than its own folder is shown", (name, expected) => {
  expect(shownOf(file(name))).toEqual(expected);
});

test("what is claimed must be shown, and lead to what is", () => {
  const program = file("venv/bin/python");
  const library = file("venv/lib/python3.11/os.py");
  const away = link("venv/lib/away", join(home, ".ssh"));
  const view = viewOfInterpreter(program);
  expect([program, library, "/usr/lib", "/lib"].map((path) => view.shows(path))).toEqual([true, true, true, true]);
  const others = [join(home, ".ssh"), away, join(away, "id"), home, "/", "/etc", `${home}/venv/lib/../../.ssh`, "lib"];
  expect(others.map((path) => view.shows(path))).toEqual(others.map(() => false));
});

test("a folder that packages name elsewhere may be any but the home and what is above it", () => {
  const folders = [join(home, "documents"), home, dirname(home), "/", join(home, ".ssh/id"), join(home, "none")];
  expect(folders.map(mayBeLinked)).toEqual([true, false, false, false, false, false]);
});
