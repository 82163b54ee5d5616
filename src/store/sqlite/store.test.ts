import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import Libsql from "libsql";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CoordinatorError } from "../../errors.ts";
import { openStore } from "./store.ts";

/** Below node_modules, so that the bundle finds libsql. */
const bundleFolder = fileURLToPath(new URL(`../../../node_modules/.tmp/store-${process.pid}`, import.meta.url));
const writer = join(bundleFolder, "writer.mjs");

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("./writer.fixture.ts", import.meta.url))],
    outfile: writer,
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["libsql"],
  });
});

afterAll(() => rmSync(bundleFolder, { recursive: true, force: true }));

describe("a data folder", () => {
  test("is made with its parents, for this user alone", async () => {
    const home = join(temporaryFolder(), "some", "where");
    using store = openStore(home);
    await store.catalogs.write("a", { tools: [], info: null });
    const modes = ["", "coordinator.db", "coordinator.db-wal", "coordinator.db-shm"].map((name) => mode(home, name));
    expect(modes).toEqual(["700", "600", "600", "600"]);
  });

  test("keeps what was written when it is opened again, also twice in one process", async () => {
    const home = temporaryFolder();
    const first = openStore(home);
    await first.catalogs.write("a", { tools: [1], info: null });
    using second = openStore(home);
    expect((await second.catalogs.read(["a"])).get("a")?.tools).toEqual([1]);
    first.close();
    first.close();
    using third = openStore(home);
    expect((await third.catalogs.read(["a"])).get("a")?.tools).toEqual([1]);
  });

  test("is set to write ahead and to give space back", () => {
    const home = temporaryFolder();
    openStore(home).close();
    expect([read(home, "PRAGMA journal_mode"), read(home, "PRAGMA auto_vacuum")]).toEqual([
      { journal_mode: "wal" },
      { auto_vacuum: 2 },
    ]);
  });

  test("of a newer version is refused and left as it is", () => {
    const home = temporaryFolder();
    openStore(home).close();
    const database = new Libsql(join(home, "coordinator.db"));
    database.exec("PRAGMA user_version = 99");
    database.close();
    expect(failure(() => openStore(home))).toEqual({
      code: "storage_unavailable",
      message: expect.stringMatching(
        /^Cannot use the database .*coordinator\.db: a newer mcp-coordinator wrote it \(schema 99; this one knows \d+\)$/,
      ),
      hint: "Update mcp-coordinator, or set MCP_COORDINATOR_HOME to another folder.",
    });
    expect(read(home, "PRAGMA user_version")).toEqual({ user_version: 99 });
  });

  test("whose file is not a database is refused and left as it is", () => {
    const home = temporaryFolder();
    const path = join(home, "coordinator.db");
    writeFileSync(path, "a letter to a friend\n".repeat(500));
    expect(failure(() => openStore(home))).toEqual({
      code: "storage_unavailable",
      message: `Cannot use the database ${path}: file is not a database`,
      hint: "Move the file away; the next start makes a new one.",
    });
    expect(readFileSync(path, "utf8")).toBe("a letter to a friend\n".repeat(500));
  });

  test("that is a file is refused", () => {
    const home = join(temporaryFolder(), "file");
    writeFileSync(home, "");
    expect(failure(() => openStore(home))).toMatchObject({
      code: "storage_unavailable",
      message: expect.stringContaining(`Cannot use the data folder ${home}: EEXIST`),
    });
  });

  test.skipIf(process.platform === "win32").each([
    ["new", 0o555, undefined],
    ["in use", 0o555, 0o666],
    ["whose file is protected", 0o777, 0o444],
  ])("that cannot be written is refused with the fix: one %s", async (_, folderMode, fileMode) => {
    const home = temporaryFolder();
    if (fileMode !== undefined) {
      openStore(home).close();
      chmodSync(join(home, "coordinator.db"), fileMode);
    }
    chmodSync(home, folderMode);
    const child = startWriter("openUnprivileged", home);
    expect(JSON.parse(await text(child.stdout))).toEqual({
      code: "storage_unavailable",
      message: expect.stringContaining(`Cannot use the data folder ${home}: EACCES`),
      hint: "Make the data folder and the files in it writable for this user, or set MCP_COORDINATOR_HOME to another folder.",
    });
  });

  test("has the outcomes that waited when it is closed", async () => {
    const home = temporaryFolder();
    const { journal, close } = openStore(home);
    await journal.startRun({ id: "r1", language: "python", engine: "cpython", code: "pass" });
    const call = journal.intend({ run: "r1", server: "files", tool: "read", args: "{}", argsHash: "0" });
    journal.settle(call, { outcome: "ok", milliseconds: 1 });
    close();
    expect(read(home, "SELECT outcome FROM calls")).toEqual({ outcome: "ok" });
  });

  test("answers after close with an error of the host", async () => {
    const store = openStore(temporaryFolder());
    store.close();
    await expect(store.catalogs.read(["a"])).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

describe("several processes", () => {
  test("can open a file that is not in WAL mode while one of them writes to it", async () => {
    const home = temporaryFolder();
    const child = startWriter("writeOutsideWal", home);
    await once(child.stdout, "data");
    openStore(home).close();
    expect(read(home, "PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  });

  test("that make the file at the same moment and write to it lose nothing", async () => {
    const home = join(temporaryFolder(), "new");
    const names = Array.from({ length: 10 }, (_, index) => `writer${index}`);
    const writers = names.map((name) => startWriter("write", home, name));
    await Promise.all(writers.map((child) => once(child.stdout, "data")));
    expect(existsSync(home)).toBe(false);
    const exits = writers.map((child) => once(child, "exit"));
    for (const child of writers) child.stdin.write("go\n");
    expect(await Promise.all(exits)).toEqual(names.map(() => [0, null]));

    expect(read(home, "PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
    expect(read(home, "SELECT count(*) AS runs FROM runs WHERE status = 'ok'")).toEqual({ runs: 200 });
    expect(read(home, "SELECT count(*) AS calls FROM calls WHERE outcome = 'ok'")).toEqual({ calls: 5000 });
    using store = openStore(home);
    const run = await store.journal.getRun("writer7-19");
    expect(run?.toolCalls.map(({ server, args }) => `${server} ${args}`)).toEqual(
      Array.from({ length: 25 }, (_, call) => `writer7 ${call}`),
    );
    expect((await store.catalogs.read(names)).size).toBe(10);
  });

  test.each([1, 2, 60, 400, 1500])(
    "keep every intent that was acknowledged by one that is killed after %i calls",
    async (calls) => {
      const home = temporaryFolder();
      const child = startWriter("callForever", home, "run1");
      let output = "";
      child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
        output += chunk;
        if (output.split("\n").length > calls) child.kill("SIGKILL");
      });
      await once(child, "close");
      const acknowledged = output.split("\n").slice(0, -1).map(Number);
      expect(acknowledged.length).toBeGreaterThanOrEqual(calls);

      using store = openStore(home);
      const run = await store.journal.getRun("run1");
      const written = run?.toolCalls ?? [];
      expect(run?.status).toBe("lost");
      expect(written.slice(0, acknowledged.length).map(({ id }) => id)).toEqual(acknowledged);
      expect(written.length - acknowledged.length).toBeLessThanOrEqual(1);
      expect(new Set(written.slice(0, -1).map(({ outcome }) => outcome))).toEqual(
        new Set(written.length > 1 ? ["ok"] : []),
      );
      // It was killed before it could log how the last call went, or after.
      expect(["ok", "unknown"]).toContain(written.at(-1)?.outcome);
      expect(read(home, "PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
    },
  );
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "store-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function mode(folder: string, name: string): string {
  return (statSync(join(folder, name)).mode & 0o777).toString(8);
}

/** The first row of a query on a connection of its own. */
function read(home: string, sql: string): unknown {
  const database = new Libsql(join(home, "coordinator.db"));
  const [row] = database.prepare(sql).all();
  database.close();
  return row;
}

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    throw thrown;
  }
  return "no failure";
}

function startWriter(...words: string[]): ChildProcessByStdio<Writable, Readable, null> {
  const child = spawn(process.execPath, [writer, ...words], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
