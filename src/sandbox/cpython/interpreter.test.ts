import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { describeInterpreter } from "./interpreter.ts";

// A real Python describes itself; what packages put in its way must not run. Needs a build.

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "interpreter-test-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bubblewrap = "/usr/bin/bwrap";

test("a virtual environment is described without executing its .pth files; the paths in them count", async () => {
  const canary = join(folder, "canary");
  const venv = join(folder, "venv");
  execFileSync("/usr/bin/env", ["python3", "-m", "venv", "--without-pip", venv]);
  const { packages: _inside, ...interpreter } = await describeInterpreter(join(venv, "bin", "python"), { bubblewrap });
  const [site = ""] = interpreter.packageFolders;
  expect(site).toContain(venv);
  const linked = join(folder, "linked");
  mkdirSync(linked);
  writeFileSync(join(linked, "beside.py"), "");
  const program = `import os; open(${JSON.stringify(canary)}, "w")`;
  writeFileSync(join(site, "some.pth"), `# a comment\n${program}\n${linked}\nimport\tos\n/no/such/folder\n`);
  writeFileSync(join(site, "sitecustomize.py"), program);
  writeFileSync(join(site, "usercustomize.py"), program);
  const again = await describeInterpreter(join(venv, "bin", "python"), { bubblewrap, followsLinks: true });
  expect(again.packageFolders).toEqual([site, linked]);
  expect(again.modules).toContain("beside");
  expect(existsSync(canary)).toBe(false);
});

test("further packages come first, and a damaged extension among them is no obstacle", async () => {
  const layer = join(folder, "layer");
  mkdirSync(join(layer, "bad-1.dist-info"), { recursive: true });
  writeFileSync(join(layer, "bad.cpython-311-x86_64-linux-gnu.so"), "no library");
  // A library of the system as if it were a package's: it needs another one.
  const [, library = ""] = /=> (\S*libmount\.so\S*)/.exec(execFileSync("ldd", ["/usr/bin/mount"]).toString()) ?? [];
  copyFileSync(library, join(layer, "good.so"));
  writeFileSync(join(layer, "bad-1.dist-info", "RECORD"), "bad.cpython-311-x86_64-linux-gnu.so,,\ngood.so,,\n");
  symlinkSync("/root", join(layer, "elsewhere"));
  const described = await describeInterpreter("/usr/bin/python3", { further: [layer], bubblewrap });
  expect(described.packageFolders[0]).toBe(layer);
  expect(described.modules).toContain("bad");
  const files = [...described.readable.values()];
  expect(files.filter((path) => path.includes("libblkid"))).toHaveLength(1);
  expect(files.filter((path) => path.startsWith("/root/"))).toEqual([]);
});

test("folders that a .pth file names elsewhere count only where that is wanted", async () => {
  const venv = join(folder, "venv");
  execFileSync("/usr/bin/env", ["python3", "-m", "venv", "--without-pip", venv]);
  const python = join(venv, "bin", "python");
  const [site = ""] = (await describeInterpreter(python, { bubblewrap })).packageFolders;
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  writeFileSync(join(site, "some.pth"), `${elsewhere}\n`);
  expect((await describeInterpreter(python, { bubblewrap })).packageFolders).toEqual([site]);
});

test("a script is asked only where it may pick an interpreter, and finds the one that it picks", async () => {
  const shim = join(folder, "shims", "python3");
  mkdirSync(join(folder, "shims"));
  writeFileSync(shim, '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', { mode: 0o755 });
  await expect(describeInterpreter(shim, { bubblewrap })).rejects.toThrow("it is a script, not a Python");
  expect((await describeInterpreter(shim, { bubblewrap, mayBeScript: true })).executable).toBe("/usr/bin/python3");
});

test("it compiles our own code for itself, and writes nothing beside ours", async () => {
  const compileTo = join(folder, "compiled");
  const { compiled, watched } = await describeInterpreter("/usr/bin/python3", { bubblewrap, compileTo });
  expect([compiled, watched.at(-1)]).toEqual([compileTo, compileTo]);
  expect(readdirSync(compileTo)).toContainEqual(expect.stringMatching(/^fork_server\.cpython-3\d+\.pyc$/));
  expect(readdirSync(fileURLToPath(new URL("../../../dist/guest/python/__pycache__", import.meta.url)))).toEqual([
    "README",
  ]);
});
