import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { containerAbsence } from "./container-image.ts";

// What a machine gets that lacks programs and has no apt-get to install them with.

const script = fileURLToPath(new URL("../scripts/setup.mjs", import.meta.url));
let bin: string;
beforeEach(() => {
  bin = mkdtempSync(join(tmpdir(), "setup-"));
});
afterEach(() => rmSync(bin, { recursive: true }));

function setUpWith(programs: readonly string[], ...args: string[]) {
  for (const name of programs) symlinkSync("/bin/true", join(bin, name));
  const { status, stderr } = spawnSync(process.execPath, [script, ...args], { env: { PATH: bin }, encoding: "utf8" });
  return { status, stderr };
}
const needed = ["bwrap", "prlimit", "python3", "git", "openssl", "ps", "script"];

test("without podman the tests are set up, and says that those of the engine container may be skipped", () => {
  const { status, stderr } = setUpWith(needed, "--tests");
  expect(status).toBe(0);
  expect(stderr).toContain("podman");
  expect(stderr).toContain("Tests of the engine container may be skipped");
  if (process.getuid?.() === 0)
    expect(containerAbsence({ PATH: bin })).toBe("the engine container: podman is not installed");
});

test("without bubblewrap it fails, with the command that installs it", () => {
  const { status, stderr } = setUpWith(needed.slice(1), "--tests");
  expect(status).toBe(1);
  expect(stderr).toMatch(/Missing on this machine: bubblewrap\./);
});

test("what only tests need is not missed without them", () => {
  expect(setUpWith(needed.slice(0, 3))).toEqual({ status: 0, stderr: "" });
});
