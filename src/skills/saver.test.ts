import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import Libsql from "libsql";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openStore } from "../store/sqlite/store.ts";
import { fileText } from "./file-text.ts";
import { createMirror } from "./mirror.ts";

// Real processes that save at the same time, and that are killed while they do.

/** Below node_modules, so that the bundle finds libsql. */
const bundleFolder = fileURLToPath(new URL(`../../node_modules/.tmp/skills-${process.pid}`, import.meta.url));
const saver = join(bundleFolder, "saver.mjs");
/** How often a process is killed; 200 by hand: `KILLS=200 npx vitest run src/skills/saver.test.ts`. */
const kills = Number(process.env["KILLS"] ?? 12);
const timeout = 30_000 + kills * 5000;

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("./saver.fixture.ts", import.meta.url))],
    outfile: saver,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["libsql"],
  });
});

afterAll(() => rmSync(bundleFolder, { recursive: true, force: true }));

test("ten processes that save at once lose nothing and leave no gap", async () => {
  const home = temporaryFolder();
  const children = Array.from({ length: 10 }, (_, index) => start("shared", home, `p${index}`));
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  const ends = children.map((child) => once(child, "exit"));
  for (const child of children) child.stdin.write("go\n");
  expect((await Promise.all(ends)).map(([code]) => code)).toEqual(Array(10).fill(0));

  using store = openStore(home);
  const versions = (await store.skills.history("shared")).map(({ version }) => version);
  expect(versions).toEqual(Array.from({ length: 200 }, (_, index) => 200 - index));
  const skills = await Promise.all(versions.map((version) => store.skills.get("shared", version)));
  const codes = skills.map((skill) => skill?.code.split("\n", 1)[0]);
  expect(new Set(codes).size).toBe(200);
  const latest = await store.skills.get("shared");
  expect(readFileSync(join(home, "skills", "shared.ts"), "utf8")).toBe(latest && fileText(latest));
  expect(await store.skills.files()).toMatchObject([
    { version: 200, mark: createMirror(join(home, "skills")).mark("shared") },
  ]);
  expect(integrity(home)).toBe("ok");
});

test(`after ${kills} kills at any moment all that was told is there, and no half file`, { timeout }, async () => {
  const home = temporaryFolder();
  const told: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const child = start("forever", home, `k${kill}`);
    let said = "";
    child.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
    });
    const closed = once(child, "close");
    await Promise.race([once(child.stdout, "data"), closed]);
    await pause(Math.random() * 60);
    child.kill("SIGKILL");
    await closed;
    told.push(...said.split("\n").slice(0, -1));
  }

  const started = performance.now();
  using store = openStore(home);
  expect(performance.now() - started).toBeLessThan(2000);
  expect(told.length).toBeGreaterThan(kills);
  for (const line of told) {
    const [name = "", version] = line.split(" ");
    expect(await store.skills.get(name, Number(version)), line).toBeDefined();
  }
  for (const name of await store.skills.names()) {
    const numbers = (await store.skills.history(name)).map(({ version }) => version);
    expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, index) => numbers.length - index));
  }
  expect(integrity(home)).toBe("ok");
  const files = readdirSync(join(home, "skills")).filter((file) => !file.endsWith(".tmp"));
  for (const file of files.filter((name) => !name.includes(".test."))) {
    const [, code = ""] = /\n\n([\s\S]*)$/.exec(readFileSync(join(home, "skills", file), "utf8")) ?? [];
    const [, mark] = /^\/\/ begin (.*)\n/.exec(code) ?? [];
    expect(code.endsWith(`// end ${mark}\n`), file).toBe(true);
  }
});

function start(job: string, home: string, name: string): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, [saver, job, home, name], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "saver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function integrity(home: string): unknown {
  const database = new Libsql(join(home, "coordinator.db"));
  try {
    database.exec("INSERT INTO skill_search (skill_search) VALUES ('integrity-check')");
    const [row] = database.prepare("PRAGMA integrity_check").all() as { integrity_check: string }[];
    return row?.integrity_check;
  } finally {
    database.close();
  }
}
