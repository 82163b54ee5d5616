import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

// What .ci/run does around the commands of a package: here of one whose commands take no time.

let folder: string;
const inside = () => readdirSync(join(folder, "tmp"));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ci-run-"));
  for (const name of [".ci", "tmp", "home"]) mkdirSync(join(folder, name));
  copyFileSync(fileURLToPath(new URL("../.ci/run", import.meta.url)), join(folder, ".ci/run"));
  writeFileSync(join(folder, "home", ".npmrc"), "fund=false\n");
});
afterEach(() => rmSync(folder, { recursive: true }));

function start(scripts: Record<string, string>): ChildProcess {
  const all = { "setup:tests": "true", check: "true", test: "true", "test:nodes": "true", ...scripts };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "small", version: "1.0.0", scripts: all }));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: "small", version: "1.0.0", lockfileVersion: 3, packages: { "": { name: "small" } } }),
  );
  const env = { PATH: process.env["PATH"], HOME: join(folder, "home"), TMPDIR: join(folder, "tmp") };
  return spawn("bash", [join(folder, ".ci/run")], { env, stdio: ["ignore", "pipe", "pipe"] });
}

async function run(scripts: Record<string, string>) {
  const child = start(scripts);
  const [output, [code]] = await Promise.all([text(child.stdout as NodeJS.ReadableStream), once(child, "close")]);
  return { output, code };
}

const look = `node -e "const { env } = process; console.log(JSON.stringify([env.HOME, env.npm_config_cache, env.PIP_CACHE_DIR, os.tmpdir(), env.CONTAINERS_STORAGE_CONF, env.NPM_CONFIG_USERCONFIG ?? env.npm_config_userconfig, fs.readdirSync(env.HOME)]))"`;

test("the tests have a home, caches and storage of their own, and the user's npm settings; nothing of it stays", async () => {
  const { output, code } = await run({ test: look });
  expect(code).toBe(0);
  const line = output.split("\n").find((one) => one.startsWith("[")) ?? "[]";
  const [home, npm, pip, temporary, storage, settings, files] = JSON.parse(line);
  for (const place of [home, npm, pip, temporary, storage]) expect(place).toMatch(`${folder}/tmp/ci-`);
  expect(settings).toBe(join(folder, "home", ".npmrc"));
  expect(files).toEqual([]);
  expect(output).toMatch(/^== tests: \d+ s$/m);
  expect(output).toMatch(/^== passed after \d+ s$/m);
  expect(inside()).toEqual([]);
});

test.each(["setup:tests", "test"])("a failure of %s is its own", async (name) => {
  const { output, code } = await run({ [name]: "exit 7" });
  expect(code).toBe(7);
  expect(output).toMatch(/FAILED \(7\)/);
  expect(inside()).toEqual([]);
});

test("an interruption ends what runs and removes all that it made", async () => {
  const mark = join(folder, "started");
  const child = start({
    test: `node -e "fs.writeFileSync('${mark}', String(process.pid)); setInterval(() => {}, 1000)"`,
  });
  child.stdout?.resume();
  await vi.waitFor(() => expect(existsSync(mark)).toBe(true), { timeout: 50_000, interval: 50 });
  child.kill("SIGTERM");
  expect(await once(child, "close")).toEqual([143, null]);
  expect(inside()).toEqual([]);
});
