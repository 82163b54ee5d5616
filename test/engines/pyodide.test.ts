import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";
import { denoBinary } from "../../src/sandbox/deno/binary.ts";
import type { Engine, GuestPorts, Limits, Outcome } from "../../src/sandbox/engine.ts";
import { createKernel } from "../../src/sandbox/guest/pyodide/kernel.ts";
import { createPyodideEngine } from "../../src/sandbox/pyodide/engine.ts";

// What is particular to Python as WebAssembly: that it needs nothing installed, and that no way leads to JavaScript.

const limits: Limits = { ...testLimits, openFiles: 64 };
/** The part of it that is used here; the project's compiler settings know none of it. */
declare const WebAssembly: {
  readonly Module: { new (bytes: Uint8Array): object; imports(module: object): { name: string; kind: string }[] };
};
const root = fileURLToPath(new URL("../..", import.meta.url));
const run = promisify(execFile);
const everywhere = (name: string) => `/usr/bin/${name}`;
const withoutBubblewrap = (name: string) => (name === "bwrap" ? undefined : `/usr/bin/${name}`);
const withNothing = () => undefined;
const create = (findProgram: (name: string) => string | undefined, changed: Partial<Limits> = {}): Engine =>
  createPyodideEngine({ limits: { ...limits, ...changed }, isolation: "engine", findProgram });

async function outcomeOf(code: string, engine: Engine = create(everywhere), timeoutMs = 20_000): Promise<Outcome> {
  const ports: GuestPorts = { call: async () => "1", operation: async () => "1", print: () => {} };
  const program = { code, libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
  const sandbox = await engine.start();
  try {
    return await sandbox.run(program, ports, { timeoutMs });
  } finally {
    sandbox.kill();
  }
}

async function resultOf(code: string, engine?: Engine): Promise<unknown> {
  const outcome = await outcomeOf(code, engine);
  expect(outcome).toMatchObject({ end: "ok" });
  return (outcome as { value?: unknown }).value;
}

/** Tries expressions one by one: what each gave, or the name of its error. */
const attempts = (expressions: readonly string[]) => `
def attempt(source):
    try:
        return repr(eval(source))
    except BaseException as error:
        return type(error).__name__
[attempt(source) for source in ${JSON.stringify(expressions)}]`;

describe("isolation", () => {
  test("has the operating system's layer where there is one, and says so", async () => {
    expect(await create(everywhere).isolation()).toEqual({
      layer: "os",
      detail: "CPython as WebAssembly in Deno without permissions, in bubblewrap",
    });
  });

  test.each([
    ["bubblewrap", withoutBubblewrap],
    ["any program of the system", withNothing],
  ])("works without %s, and sees nothing of the host", async (_what, findProgram) => {
    const engine = create(findProgram);
    expect(await engine.isolation()).toEqual({
      layer: "engine",
      detail: "CPython as WebAssembly in Deno without permissions alone: bubblewrap (bwrap) is not installed",
    });
    const value = await resultOf(
      `import os\n[sorted(os.listdir("/")), os.listdir("/tmp"), dict(os.environ), os.path.exists("/etc/passwd"), os.path.exists("/proc")]`,
      engine,
    );
    expect(value).toEqual([["dev", "lib", "tmp"], [], {}, false, false]);
  });

  test("refuses where the operating system's layer is compulsory and missing", async () => {
    const engine = createPyodideEngine({ limits, isolation: "os", findProgram: withoutBubblewrap });
    const refusal = {
      code: "engine_unavailable",
      message: expect.stringContaining('"pyodide"'),
      hint: expect.stringContaining("apt-get install bubblewrap"),
    };
    await expect(engine.isolation()).rejects.toMatchObject(refusal);
    await expect(engine.start()).rejects.toMatchObject(refusal);
  });

  test("the process may read three files until it starts, and make code of no text", async () => {
    const sandbox = await create(everywhere).start();
    const lines = execFileSync("ps", ["-eo", "args="]).toString().split("\n");
    const command = lines.find((line) => line.startsWith("/deno run") && line.includes("python.snapshot")) ?? "";
    expect(command.match(/--allow-\S+/g)).toEqual(["--allow-read=/python.wasm,/python.zip,/python.snapshot"]);
    expect(command).toContain("--disallow-code-generation-from-strings");
    expect(command).toContain("--no-remote --no-npm --no-config");
    sandbox.kill();
  });
});

describe("JavaScript", () => {
  test("is not a module, an object or a type of Python", async () => {
    const value = await resultOf(`
import gc, importlib.machinery, sys, _imp
modules = ["js", "pyodide", "pyodide.code", "pyodide.ffi", "pyodide.http", "pyodide_js", "_pyodide", "_pyodide_core", "micropip"]
found = []
for name in modules:
    try:
        found.append(__import__(name, fromlist=["*"]))
    except ImportError:
        pass
    if _imp.create_builtin(importlib.machinery.ModuleSpec(name, None)) is not None:
        found.append(name)
types = {f"{type(thing).__module__}.{type(thing).__qualname__}" for thing in gc.get_objects()}
types |= {str(kind) for kind in object.__subclasses__()}
found += [name for name in types if "JsProxy" in name or "pyodide" in name]
found += [name for name in sys.modules if "pyodide" in name or name == "js"]
found`);
    expect(value).toEqual([]);
  });

  test("is not behind the functions that Python's module may call", () => {
    const wasm = createRequire(import.meta.url).resolve("pyodide/pyodide.asm.wasm");
    const wanted = WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(wasm)))
      .filter(({ kind }) => kind === "function")
      .map(({ name }) => name);
    const never = () => {
      throw new Error("not in this test");
    };
    const options = { memoryBytes: 1, scratchBytes: 1, openFiles: 1, env: [] };
    const { calls } = createKernel({ ...options, machine: never, sleep: never, exit: never });
    const given = wanted.filter((name) => Object.hasOwn(calls, name));
    // It gets the calls of a C library; those that handle JavaScript's values it does not.
    expect([wanted.length, given.length]).toEqual([268, 101]);
    expect(
      given.filter((name) => /js(v|obj|arr|map|proxy|mod|buf)|proxy|python2js|js2python|hiwire/i.test(name)),
    ).toEqual(["__hiwire_deduplicate_new"]);
    expect(given.filter((name) => /asm_const|run_script|ffi_|promise|suspend|raw_call|pyodide/i.test(name))).toEqual(
      [],
    );
  });

  test("is not behind foreign functions either, with the module for them brought back", async () => {
    const bringBack = `import sys\ndel sys.modules["_ctypes"]\nimport ctypes\n`;
    expect(await outcomeOf("import ctypes")).toMatchObject({ end: "error", error: { name: "ModuleNotFoundError" } });
    for (const attack of [
      `ctypes.CDLL(None).emscripten_run_script(b"Deno.exit(0)")`,
      `ctypes.CFUNCTYPE(ctypes.c_int)(300)()`,
      `ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)()`,
    ]) {
      const { end } = await outcomeOf(bringBack + attack);
      expect(["crashed", "error"]).toContain(end);
    }
  });

  test("has nothing left in that process: no permission, no Deno, no eval", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pyodide-lockdown-"));
    try {
      const [secret, script] = [join(folder, "secret"), join(folder, "probe.js")];
      writeFileSync(secret, "secret");
      await build({
        stdin: {
          contents: `
            import { lockDown, readOnce } from "./src/sandbox/guest/pyodide/lockdown.ts";
            const { readFileSync, stdout, env } = Deno;
            const found = [readOnce(Deno.args[0]).length];
            const attempt = async (work) => {
              try { found.push(String(await work())); } catch (error) { found.push(error.name); }
            };
            await attempt(async () => (await import("node:fs")).readFileSync("/etc/passwd", "utf8"));
            await attempt(async () => (await import("node:child_process")).execSync("id"));
            lockDown();
            await attempt(() => readFileSync(${JSON.stringify(secret)}));
            await attempt(() => env.get("HOME"));
            await attempt(() => (() => {}).constructor("return 1")());
            await attempt(() => typeof Deno + typeof process + typeof fetch + typeof eval + typeof WebAssembly + typeof Worker);
            stdout.writeSync(new TextEncoder().encode(JSON.stringify(found)));`,
          resolveDir: root,
          loader: "js",
        },
        outfile: script,
        bundle: true,
        format: "esm",
        platform: "neutral",
        external: ["node:*"],
        logLevel: "silent",
      });
      const flags = ["--no-prompt", "--v8-flags=--disallow-code-generation-from-strings", `--allow-read=${secret}`];
      const { stdout } = await run(denoBinary(), ["run", ...flags, script, secret]);
      expect(JSON.parse(stdout)).toEqual([
        ...[6, "NotCapable", "NotCapable", "NotCapable", "NotCapable", "EvalError"],
        "undefined".repeat(6),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("Python", () => {
  test("has its standard library and its language", async () => {
    const value = await resultOf(`
import json, re, datetime, collections, itertools, dataclasses, asyncio, statistics, csv, pathlib, decimal, typing
import io, contextlib, sqlite3, zoneinfo, hashlib, zipfile, xml.etree.ElementTree as tree

@dataclasses.dataclass
class Point:
    x: int
    tags: list[str] = dataclasses.field(default_factory=list)

def numbers():
    yield from itertools.islice(itertools.count(1), 3)

def twice(function):
    return lambda *args: function(function(*args))

@twice
def add(value):
    return value + 1

@contextlib.contextmanager
def opened():
    yield "context"

async def later():
    await asyncio.sleep(0.01)
    return "later"

with opened() as name:
    context = name
match {"kind": "a", "items": [1, 2]}:
    case {"kind": "a", "items": [first, *rest]}:
        matched = [first, rest]
connection = sqlite3.connect(":memory:")
[
    dataclasses.asdict(Point(1, ["t"])), list(numbers()), add(1), context, matched, await later(),
    re.findall(r"\\d+", "a1b22"), str(datetime.date(2024, 2, 29) + datetime.timedelta(1)), statistics.mean([1, 2, 6]),
    list(csv.reader(io.StringIO("a,b\\n1,2"))), str(decimal.Decimal("0.1") + decimal.Decimal("0.2")),
    collections.Counter("aab").most_common(1), connection.execute("select 40 + 2").fetchone(), hashlib.md5(b"").hexdigest()[:6],
    tree.fromstring("<a><b>c</b></a>").find("b").text, typing.get_type_hints(Point)["x"].__name__, f"{1234.5:,}",
]`);
    expect(value).toEqual([
      ...[{ x: 1, tags: ["t"] }, [1, 2, 3], 3, "context", [1, [2]], "later", ["1", "22"], "2024-03-01", 3],
      ...[
        [
          ["a", "b"],
          ["1", "2"],
        ],
        "0.3",
        [["a", 2]],
        [42],
        "d41d8c",
        "c",
        "int",
        "1,234.5",
      ],
    ]);
  });

  test("does with files what Python does elsewhere", async () => {
    const folder = mkdtempSync(join(tmpdir(), "pyodide-files-"));
    try {
      const expected = execFileSync("python3", ["-I", "-c", `${fileProgram}\nimport json\nprint(json.dumps(seen))`], {
        cwd: folder,
      });
      expect(await resultOf(`${fileProgram}\nseen`)).toEqual(JSON.parse(expected.toString()));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("starts alike and yet not the same: chance differs from sandbox to sandbox", async () => {
    const code =
      "import random, uuid, os, secrets\n[random.random(), str(uuid.uuid4()), os.urandom(8).hex(), secrets.token_hex()]";
    const [one, other] = (await Promise.all([resultOf(code), resultOf(code)])) as [string[], string[]];
    for (const [index, value] of one.entries()) expect(value).not.toEqual(other[index]);
  });

  test("has no processes, threads, sockets or pipes", async () => {
    const expressions = [
      `__import__("os").fork()`,
      `__import__("os").pipe()`,
      `__import__("subprocess").run(["id"])`,
      `__import__("threading").Thread(target=print).start()`,
      `__import__("socket").create_connection(("127.0.0.1", 1))`,
      `__import__("socket").socket()`,
      `__import__("os").kill(1, 9)`,
    ];
    expect(await resultOf(attempts(expressions))).toEqual([
      ...["OSError", "OSError", "OSError", "RuntimeError", "gaierror", "PermissionError", "PermissionError"],
    ]);
    expect(await resultOf(`import os\nos.system("id")`)).not.toBe(0);
  });
});

describe("limits", () => {
  test("the guest gets its memory beside what Python itself takes, and no more", async () => {
    const allocate = (megabytes: number) => `len(bytearray(${megabytes} * 1024 * 1024)) // 1024 // 1024`;
    const engine = create(everywhere, { memoryMb: 64 });
    expect(await outcomeOf(allocate(60), engine)).toEqual({ end: "ok", value: 60 });
    expect(await outcomeOf(allocate(96), engine)).toEqual({ end: "limit", limit: "memory" });
  });

  test("the limits hold without any program of the system", async () => {
    const engine = create(withNothing);
    expect(await outcomeOf("all = []\nwhile True: all.append('x' * 100_000)", engine)).toEqual({
      end: "limit",
      limit: "memory",
    });
    expect(await outcomeOf("open('big', 'wb').write(bytes(20_000_000))", engine)).toEqual({
      end: "limit",
      limit: "scratch",
    });
    const files = "all = []\nwhile True: all.append(open('/dev/null'))";
    expect(await outcomeOf(files, engine)).toEqual({ end: "limit", limit: "open_files" });
  });

  test("sleeping takes no CPU time", async () => {
    const engine = create(everywhere, { cpuSeconds: 1 });
    expect(await outcomeOf("import time\ntime.sleep(3)\n'slept'", engine)).toEqual({ end: "ok", value: "slept" });
  });

  test("a stack that overflows is an error, and a crash has a typed end", async () => {
    const deep = "nested = []\nfor _ in range(100_000): nested = [nested]\n";
    expect(await outcomeOf(`${deep}repr(nested)`)).toMatchObject({ end: "error", error: { name: "RecursionError" } });
    expect(await outcomeOf("import json\njson.loads('[' * 1_000_000)")).toMatchObject({
      end: "error",
      error: { name: "RecursionError" },
    });
    expect(await outcomeOf("import os\nos.abort()")).toEqual({
      end: "crashed",
      reason: "Python itself crashed: its stack overflowed, or its C code gave up",
    });
    expect(await outcomeOf("import os\nos._exit(0)")).toMatchObject({ end: "crashed" });
    expect(await outcomeOf("import os\nos.close(3)")).toMatchObject({ end: "crashed" });
  });
});

test("starts from its snapshot", async () => {
  const engine = create(everywhere);
  await engine.isolation();
  const before = performance.now();
  const sandbox = await engine.start();
  const started = performance.now();
  const ports: GuestPorts = { call: async () => "1", operation: async () => "1", print: () => {} };
  const program = { code: "1 + 1", libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
  expect(await sandbox.run(program, ports, { timeoutMs: 10_000 })).toEqual({ end: "ok", value: 2 });
  console.log(
    `pyodide: ready in ${Math.round(started - before)} ms, first run ${Math.round(performance.now() - started)} ms`,
  );
  sandbox.kill();
});

/** A walk through the calls that concern files; run by this machine's own Python as well, in a folder of its own. */
const fileProgram = `
import errno, glob, os, pathlib, shutil, sqlite3, stat, tempfile, zipfile
seen = []
def failing(work):
    try:
        work()
        return None
    except OSError as error:
        return [type(error).__name__, errno.errorcode[error.errno]]
here = pathlib.Path("work"); (here / "a" / "b").mkdir(parents=True)
(here / "a" / "text").write_text("h\\u00e9llo\\\\nworld")
seen.append((here / "a" / "text").read_text())
seen.append(sorted(str(path) for path in here.rglob("*")))
with open(here / "a" / "text", "a") as file: file.write("!")
seen.append(os.stat(here / "a" / "text").st_size)
with open(here / "bytes", "w+b") as file:
    file.write(bytes(range(10))); file.seek(3); seen.append(list(file.read(4))); file.seek(-2, 2); seen.append(list(file.read()))
    file.truncate(4); file.seek(0); seen.append(list(file.read())); file.seek(6); file.write(b"x"); file.seek(0); seen.append(list(file.read()))
with open(here / "append", "ab") as file: file.write(b"1"); file.write(b"2")
with open(here / "append", "ab") as file: file.write(b"3"); seen.append(file.tell())
descriptor = os.open(here / "raw", os.O_RDWR | os.O_CREAT | os.O_EXCL)
os.pwrite(descriptor, b"abc", 2); seen.append(list(os.pread(descriptor, 10, 0))); copy = os.dup(descriptor)
os.lseek(descriptor, 1, 0); seen.append(os.read(copy, 2).hex()); os.close(descriptor); seen.append(os.fstat(copy).st_size); os.close(copy)
os.symlink("a", here / "link"); seen.append([os.readlink(here / "link"), (here / "link").is_symlink(), (here / "link" / "text").exists()])
os.symlink("nowhere", here / "dangling"); seen.append([os.path.lexists(here / "dangling"), os.path.exists(here / "dangling")])
os.rename(here / "a" / "text", here / "moved"); seen.append(sorted(os.listdir(here)))
os.replace(here / "moved", here / "bytes"); seen.append((here / "bytes").read_text())
os.chmod(here / "raw", 0o640); seen.append(oct(stat.S_IMODE(os.stat(here / "raw").st_mode)))
os.utime(here / "raw", (1, 2)); seen.append([os.stat(here / "raw").st_atime, os.stat(here / "raw").st_mtime])
seen.append(sorted(glob.glob("work/**/*", recursive=True)))
with os.scandir(here) as entries: seen.append(sorted([entry.name, entry.is_dir(), entry.is_symlink()] for entry in entries))
seen.append(sorted([root, sorted(folders), sorted(files)] for root, folders, files in os.walk(here)))
seen.append([failing(lambda: open(here / "none")), failing(lambda: open(here)), failing(lambda: os.mkdir(here)), failing(lambda: os.rmdir(here))])
seen.append([failing(lambda: open(here / "raw" / "x")), failing(lambda: os.listdir(here / "raw")), failing(lambda: os.close(99))])
seen.append([failing(lambda: os.rename(here, here / "a" / "c")), failing(lambda: open(here / ("x" * 300), "w")), failing(lambda: os.readlink(here / "raw"))])
seen.append([failing(lambda: os.open(here / "raw", os.O_CREAT | os.O_EXCL)), failing(lambda: os.rmdir(here / "raw")), failing(lambda: os.open(here / "link", os.O_NOFOLLOW))])
with open(here / "gone", "w+") as file:
    file.write("still"); os.unlink(here / "gone"); file.seek(0); seen.append([file.read(), os.path.exists(here / "gone")])
database = sqlite3.connect(here / "db"); database.execute("create table t(a, b)"); database.executemany("insert into t values(?, ?)", [(1, "x"), (2, "y")])
database.commit(); database.close(); seen.append(sqlite3.connect(here / "db").execute("select b from t order by a desc").fetchall())
with zipfile.ZipFile(here / "zip", "w", zipfile.ZIP_DEFLATED) as archive: archive.writestr("inside", "content" * 50)
seen.append(zipfile.ZipFile(here / "zip").read("inside").decode()[:7])
with tempfile.TemporaryDirectory() as folder, tempfile.NamedTemporaryFile(dir=folder) as file: seen.append(os.path.dirname(file.name) == folder)
with tempfile.TemporaryFile() as file: file.write(b"x"); seen.append(file.tell())
shutil.copytree(here / "a", here / "copied"); shutil.move(here / "raw", here / "copied" / "raw"); seen.append(sorted(os.listdir(here / "copied")))
os.chdir(here); seen.append([os.path.basename(os.getcwd()), os.path.exists("copied/raw")]); os.chdir("..")
folder = os.open(here, os.O_RDONLY); os.mkdir("by-descriptor", dir_fd=folder); seen.append(os.path.isdir(here / "by-descriptor")); os.close(folder)
shutil.rmtree(here); seen.append(os.path.exists(here))
seen = [list(part) if isinstance(part, tuple) else part for part in seen]
`;

import { testLimits } from "../../src/sandbox/limits.fixture.ts";
