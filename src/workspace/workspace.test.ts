import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { createWorkspace, type Workspace } from "./workspace.ts";

/** How often a writer is killed. */
const kills = Number(process.env["KILLS"] ?? 15);

const bundles = mkdtempSync(join(tmpdir(), "workspace-writer-"));
const writer = join(bundles, "writer.mjs");
let folder: string;
let root: string;
let workspace: Workspace;

const open = (quota: { maxMb?: number; maxFiles?: number } = {}): Workspace =>
  createWorkspace({ root, lockFolder: join(folder, "locks"), maxMb: 64, maxFiles: 1000, ...quota });
const start = (job: string, name = ""): ChildProcess =>
  spawn(process.execPath, [writer, job, folder, name], { stdio: ["ignore", "pipe", "inherit"] });
const codeOf = (work: () => unknown): Promise<unknown> =>
  Promise.resolve()
    .then(work)
    .then(
      () => "done",
      (thrown: { code?: unknown }) => thrown.code ?? thrown,
    );

beforeAll(() => {
  buildSync({
    entryPoints: [fileURLToPath(new URL("./writer.fixture.ts", import.meta.url))],
    outfile: writer,
    target: "node20.19",
    bundle: true,
    platform: "node",
    format: "esm",
  });
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "workspace-"));
  root = join(folder, "root");
  workspace = open();
  return () => rmSync(folder, { recursive: true, force: true });
});
afterAll(() => rmSync(bundles, { recursive: true, force: true }));

describe("files", () => {
  test("are written with their folders, read, added to, listed and removed", async () => {
    expect(await workspace.write("lib/fib.ts", "one\n")).toEqual({ path: "lib/fib.ts", bytes: 4, created: true });
    expect(await workspace.append("./lib/fib.ts", "two\n")).toEqual({ path: "lib/fib.ts", bytes: 8, created: false });
    expect(workspace.read("lib/fib.ts").toString()).toBe("one\ntwo\n");
    expect(await workspace.write("data.bin", new Uint8Array([0, 255, 1]))).toMatchObject({ bytes: 3 });
    expect([...workspace.read("data.bin")]).toEqual([0, 255, 1]);
    const { entries, total } = await workspace.list();
    expect(entries.map(({ path, type, bytes }) => [path, type, bytes])).toEqual([
      ["data.bin", "file", 3],
      ["lib", "folder", 0],
      ["lib/fib.ts", "file", 8],
    ]);
    expect(total).toBe(3);
    expect(Date.now() - Date.parse(entries[0]?.modified ?? "")).toBeLessThan(60_000);
    await workspace.remove("data.bin");
    expect(await codeOf(() => workspace.read("data.bin"))).toBe("file_unknown");
    expect(await codeOf(() => workspace.remove("data.bin"))).toBe("file_unknown");
  });

  test("that are not there are told with the nearest name", async () => {
    await workspace.write("lib/report.py", "");
    expect(() => workspace.read("lib/reprot.py")).toThrow(
      expect.objectContaining({ code: "file_unknown", hint: expect.stringContaining('"lib/report.py"') }),
    );
    expect(await codeOf(() => workspace.read("nowhere/x"))).toBe("file_unknown");
    expect(await codeOf(() => workspace.list({ folder: "nowhere" }))).toBe("file_unknown");
  });

  test("are not replaced by who wants a new one", async () => {
    await workspace.write("a.ts", "first");
    expect(await codeOf(() => workspace.write("a.ts", "second", { onlyNew: true }))).toBe("file_exists");
    expect(workspace.read("a.ts").toString()).toBe("first");
  });

  test("keep their rights when they are replaced", async () => {
    mkdirSync(root);
    writeFileSync(join(root, "tool.sh"), "old", { mode: 0o750 });
    await workspace.write("tool.sh", "new");
    expect(statSync(join(root, "tool.sh")).mode & 0o777).toBe(0o750);
  });

  test("are listed by folder and pattern, those near the top first, within a bound", async () => {
    for (const path of ["a.py", "lib/b.py", "lib/deep/c.py", "lib/d.ts", "node_modules/x/e.py", ".venv/f.py"]) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), "");
    }
    const paths = async (options: object) => (await workspace.list(options)).entries.map(({ path }) => path);
    expect(await paths({ pattern: "*.py" })).toEqual(["a.py", "lib/b.py", "lib/deep/c.py"]);
    expect(await paths({ folder: "lib/", pattern: "lib/*.ts" })).toEqual(["lib/d.ts"]);
    expect(await paths({ folder: "lib" })).toEqual(["lib/b.py", "lib/d.ts", "lib/deep", "lib/deep/c.py"]);
    expect(await paths({ folder: "node_modules/x" })).toEqual(["node_modules/x/e.py"]);
    expect(await workspace.list({ limit: 2 })).toMatchObject({ entries: { length: 2 }, total: 8 });
  });

  test("may lie in a folder that is there already, with git's own folder out of sight", async () => {
    mkdirSync(join(root, ".git"), { recursive: true });
    writeFileSync(join(root, ".git", "config"), "secret");
    writeFileSync(join(root, "README.md"), "# Project");
    expect((await workspace.list()).entries.map(({ path }) => path)).toEqual(["README.md"]);
    expect(workspace.read("README.md").toString()).toBe("# Project");
    expect(await codeOf(() => workspace.read(".git/config"))).toBe("file_refused");
    expect(await codeOf(() => workspace.write(".git/hooks/pre-commit", "x"))).toBe("file_refused");
    expect(await codeOf(() => workspace.list({ folder: ".git" }))).toBe("file_refused");
  });
});

describe("what is not a file of the workspace", () => {
  beforeEach(() => {
    mkdirSync(join(root, "real"), { recursive: true });
    mkdirSync(join(folder, "outside"));
    writeFileSync(join(folder, "outside", "secret.txt"), "secret");
  });
  const everyWay = (path: string) =>
    Promise.all([
      codeOf(() => workspace.read(path)),
      codeOf(() => workspace.write(path, "x")),
      codeOf(() => workspace.append(path, "x")),
      codeOf(() => workspace.remove(path)),
    ]);
  const refusedEveryWay = ["file_refused", "file_refused", "file_refused", "file_refused"];

  test("a link to a file is refused, also one that leads inside", async () => {
    symlinkSync(join(folder, "outside", "secret.txt"), join(root, "link"));
    writeFileSync(join(root, "real", "a"), "a");
    symlinkSync("real/a", join(root, "inner"));
    expect(await everyWay("link")).toEqual(refusedEveryWay);
    expect(await everyWay("inner")).toEqual(refusedEveryWay);
    expect(readFileSync(join(folder, "outside", "secret.txt"), "utf8")).toBe("secret");
  });

  test("a link anywhere on the way is refused, and is not listed", async () => {
    symlinkSync(join(folder, "outside"), join(root, "real", "out"));
    expect(await everyWay("real/out/secret.txt")).toEqual(refusedEveryWay);
    expect(await everyWay("real/out/new/file.txt")).toEqual(refusedEveryWay);
    expect(await codeOf(() => workspace.list({ folder: "real/out" }))).toBe("file_refused");
    expect((await workspace.list()).entries.map(({ path }) => path)).toEqual(["real"]);
    expect(readdirSync(join(folder, "outside"))).toEqual(["secret.txt"]);
  });

  test("a link that leads nowhere is not followed to make a file", async () => {
    symlinkSync(join(folder, "outside", "new.txt"), join(root, "dangling"));
    expect(await everyWay("dangling")).toEqual(refusedEveryWay);
    expect(existsSync(join(folder, "outside", "new.txt"))).toBe(false);
  });

  test("pipes, sockets, devices and folders are refused and do not make anybody wait", async () => {
    const made = spawn("mkfifo", [join(root, "pipe")]);
    await once(made, "exit");
    expect(await everyWay("pipe")).toEqual(refusedEveryWay);
    expect(await everyWay("real")).toEqual(refusedEveryWay);
    const { createServer } = await import("node:net");
    const server = createServer().listen(join(root, "socket"));
    await once(server, "listening");
    expect(await everyWay("socket")).toEqual(refusedEveryWay);
    server.close();
    const devices = createWorkspace({ root: "/dev", lockFolder: join(folder, "locks"), maxMb: 1, maxFiles: 1 });
    expect(await codeOf(() => devices.read("zero"))).toBe("file_refused");
  });

  test("a file that is also elsewhere stays as it is there", async () => {
    linkSync(join(folder, "outside", "secret.txt"), join(root, "hard.txt"));
    await workspace.append("hard.txt", " and more");
    expect(workspace.read("hard.txt").toString()).toBe("secret and more");
    expect(readFileSync(join(folder, "outside", "secret.txt"), "utf8")).toBe("secret");
  });

  test("a name that differs only in case or accents is refused", async () => {
    await workspace.write("Report.py", "x");
    await workspace.write("lib/caf\u00e9.txt", "x");
    expect(await codeOf(() => workspace.write("report.PY", "y"))).toBe("file_refused");
    expect(await codeOf(() => workspace.write("LIB/new.txt", "y"))).toBe("file_refused");
    expect(await codeOf(() => workspace.append("lib/cafe\u0301.txt", "y"))).toBe("file_refused");
    const both = ["Same.txt", "same.txt"].map((path) => codeOf(() => workspace.write(path, path)));
    expect((await Promise.all(both)).toSorted()).toEqual(["done", "file_refused"]);
  });

  test.runIf(process.platform === "linux")(
    "a folder or file that is replaced by a link in the same moment lets nobody out",
    async () => {
      const outside = join(folder, "outside");
      mkdirSync(join(folder, "away"));
      mkdirSync(join(root, "folder"));
      for (const place of [join(root, "folder"), root]) writeFileSync(join(place, "file.txt"), "inside");
      writeFileSync(join(outside, "file.txt"), "secret");
      const swapper = start("swap");
      await once(swapper.stdout as NonNullable<typeof swapper.stdout>, "data");
      const ends = new Map<unknown, number>();
      const listed = new Set<string>();
      while (swapper.exitCode === null) {
        for (const path of ["folder/file.txt", "file.txt"]) {
          const seen = await Promise.resolve()
            .then(() => workspace.read(path).toString())
            .catch((thrown: { code: string }) => thrown.code);
          ends.set(seen, (ends.get(seen) ?? 0) + 1);
        }
        await codeOf(() => workspace.write("folder/new.txt", "written"));
        await codeOf(() => workspace.append("file.txt", "+"));
        for (const { path } of (await workspace.list()).entries) listed.add(path);
      }
      expect(readdirSync(outside).toSorted()).toEqual(["file.txt", "secret.txt"]);
      expect(readFileSync(join(outside, "file.txt"), "utf8")).toBe("secret");
      expect([...ends.keys()].filter((seen) => String(seen).includes("secret"))).toEqual([]);
      expect([...listed].filter((path) => path.includes("secret"))).toEqual([]);
      expect([...listed]).toContain("folder/file.txt");
      // Otherwise the swaps were not seen at all.
      expect(ends.get("file_refused")).toBeGreaterThan(0);
      expect(ends.get("inside")).toBeGreaterThan(0);
    },
  );
});

describe("quotas", () => {
  test("of files: no new one beyond them, old ones can be changed", async () => {
    workspace = open({ maxFiles: 2 });
    await workspace.write("a", "1");
    await workspace.write("b", "2");
    expect(await codeOf(() => workspace.write("c", "3"))).toBe("workspace_full");
    expect(existsSync(join(root, "c"))).toBe(false);
    await workspace.append("a", "more");
    await workspace.remove("b");
    await workspace.write("c", "3");
  });

  test("of folders: they count as files, also those that nothing is left in", async () => {
    workspace = open({ maxFiles: 5 });
    await workspace.write("a/b/c/file", "1");
    await workspace.remove("a/b/c/file");
    expect(await workspace.used()).toEqual({ bytes: 0, files: 3 });
    expect(await codeOf(() => workspace.write("d/e/f/file", "1"))).toBe("workspace_full");
    expect(existsSync(join(root, "d", "e", "f"))).toBe(false);
  });

  test("what guests may not change does not count: a project's packages leave them room", async () => {
    for (const path of ["node_modules/a/index.js", ".venv/lib/x.py", ".vscode/settings.json", "AGENTS.md", "own.ts"]) {
      mkdirSync(join(root, dirname(path)), { recursive: true });
      writeFileSync(join(root, path), "x".repeat(100));
    }
    workspace = open({ maxFiles: 2 });
    expect(await workspace.used()).toEqual({ bytes: 100, files: 1 });
    await workspace.write("new.ts", "");
  });

  test("of bytes: what was there before counts, and what another process removed does not", async () => {
    mkdirSync(root);
    writeFileSync(join(root, "large"), Buffer.alloc(1_000_000));
    workspace = open({ maxMb: 1 });
    expect(await codeOf(() => workspace.write("more", Buffer.alloc(100_000)))).toBe("workspace_full");
    rmSync(join(root, "large"));
    // Counting is not repeated at once, the less so on a busy machine.
    await vi.waitFor(() => workspace.write("more", Buffer.alloc(1_000_000)), { timeout: 20_000 });
    expect(await codeOf(() => workspace.append("more", Buffer.alloc(100_000)))).toBe("workspace_full");
    expect(workspace.read("more")).toHaveLength(1_000_000);
    await workspace.write("more", "");
    await workspace.write("other", Buffer.alloc(1_000_000));
  });

  test("hold for many who write at once, also while it is counted", async () => {
    for (let index = 0; index < 1000; index++) mkdirSync(join(root, `there/f${index}`), { recursive: true });
    workspace = open({ maxFiles: 1020 });
    const writes = [...Array(40).keys()].map((index) => codeOf(() => workspace.write(`new/${index}`, "x")));
    const ends = (await Promise.all(writes)).toSorted();
    // Of the 1020 two are folders above: "there" and "new".
    expect(ends).toEqual([...Array(18).fill("done"), ...Array(22).fill("workspace_full")]);
    expect(readdirSync(join(root, "new"))).toHaveLength(18);
  });

  test("folders whose names differ only in case are not made by two who write at once", async () => {
    const both = ["Same/a.txt", "same/b.txt"].map((path) => codeOf(() => workspace.write(path, path)));
    expect((await Promise.all(both)).toSorted()).toEqual(["done", "file_refused"]);
  });

  test("of one file: a larger one that is there is not read, and told as what it is", async () => {
    mkdirSync(root);
    writeFileSync(join(root, "sparse"), "");
    truncateSync(join(root, "sparse"), 2 ** 40);
    for (const use of [async () => workspace.read("sparse"), () => workspace.append("sparse", "x")]) {
      await expect(use()).rejects.toMatchObject({
        code: "file_refused",
        message: expect.stringContaining('"sparse" has 1099511627776 bytes; no file of more than 64 MB is read here'),
      });
    }
  });

  test("of one file: 64 MB", async () => {
    workspace = open({ maxMb: 1000 });
    await workspace.write("large", Buffer.alloc(64 * 1024 * 1024));
    expect(await codeOf(() => workspace.append("large", "x"))).toBe("workspace_full");
    expect(statSync(join(root, "large")).size).toBe(64 * 1024 * 1024);
  });
});

describe("several writers", () => {
  test("two processes that add 200 lines each leave 400 whole lines", async () => {
    const writers = ["left", "right"].map((name) => start("append", name));
    const codes = await Promise.all(writers.map(async (child) => ((await once(child, "exit")) as [number])[0]));
    expect(codes).toEqual([0, 0]);
    const lines = workspace.read("log.txt").toString().split("\n").slice(0, -1);
    for (const name of ["left", "right"]) {
      const own = lines.filter((line) => line.startsWith(name));
      expect(own).toEqual([...Array(200).keys()].map((line) => `${name} ${line} ${"x".repeat(100)}`));
    }
    expect(readdirSync(join(folder, "locks"))).toEqual([]);
  });

  test("in one process do not lose each other's lines either", async () => {
    await Promise.all([...Array(50).keys()].map((line) => workspace.append("log.txt", `${line}\n`)));
    const lines = workspace.read("log.txt").toString().trim().split("\n").map(Number);
    expect(lines.toSorted((left, right) => left - right)).toEqual([...Array(50).keys()]);
  });

  test("the lock of a process that died is taken over", async () => {
    await once(start("dieHolding"), "exit");
    expect(readdirSync(join(folder, "locks"))).toHaveLength(1);
    const both = await Promise.all([workspace.append("held.txt", " a"), workspace.append("held.txt", " b")]);
    expect(both).toHaveLength(2);
    expect(workspace.read("held.txt").toString()).toMatch(/^before( a b| b a)$/);
    expect(readdirSync(join(folder, "locks"))).toEqual([]);
  });

  test(`killed ${kills} times at a random moment: no half file, nothing lost that was acknowledged, no leftovers`, async () => {
    const acknowledged: string[] = [];
    for (let round = 0; round < kills; round++) {
      const child = start("writeForever", `round${round}`);
      let said = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        said += chunk;
      });
      await once(child.stdout as NonNullable<typeof child.stdout>, "data");
      await delay(Math.random() * 60);
      child.kill("SIGKILL");
      await once(child, "close");
      const last = Number(said.trim().split("\n").at(-1));
      for (let number = 1; number <= last; number++) acknowledged.push(`round${round} ${number}`);
      const whole = workspace.read("whole.txt").toString();
      const number = Number(whole.slice(0, whole.indexOf("\n")));
      expect(whole === `${number}\n`.repeat(20_000)).toBe(true);
      expect(number === last || number === last + 1).toBe(true);
    }
    const lines = workspace.read("log.txt").toString();
    expect(lines.endsWith("\n")).toBe(true);
    expect(
      lines
        .split("\n")
        .slice(0, -1)
        .every((line) => /^round\d+ \d+$/.test(line)),
    ).toBe(true);
    const there = new Set(lines.split("\n"));
    expect(acknowledged.filter((line) => !there.has(line))).toEqual([]);
    await workspace.write("next.txt", "x");
    const left = [root, join(root, "files"), join(folder, "locks")]
      .flatMap((place) => readdirSync(place))
      .filter((name) => /\./.test(name.replace(/\.txt$/, "")));
    expect(left).toEqual([]);
  });
});
