import { execFileSync, type StdioOptions, spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { createCPythonEngine } from "../../src/sandbox/cpython/engine.ts";
import type { Engine, GuestPorts, Limits, Outcome, Sandbox } from "../../src/sandbox/engine.ts";
import { testLimits } from "../../src/sandbox/limits.fixture.ts";

// What the kernel keeps a Python guest from, seen from inside, and what is left of it outside.

const limits: Limits = { ...testLimits, openFiles: 64 };
const findProgram = (name: string) => `/usr/bin/${name}`;
const ports: GuestPorts = { call: async () => "1", operation: async () => "1", print: () => {} };
const root = fileURLToPath(new URL("../..", import.meta.url));
const engine = createCPythonEngine({ limits, findProgram });

afterAll(() => engine.rest?.());

async function runIn(sandbox: Sandbox, code: string, timeoutMs = 15_000): Promise<Outcome> {
  const program = { code, libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
  return sandbox.run(program, ports, { timeoutMs });
}

async function run(code: string, on: Engine = engine): Promise<Outcome> {
  const sandbox = await on.start();
  const outcome = await runIn(sandbox, code);
  sandbox.kill();
  return outcome;
}

const ok = (value: unknown) => ({ end: "ok", value });

const openDescriptors = `
import os
def is_open(fd):
    try: os.fstat(fd)
    except OSError: return False
    return True
open_descriptors = [fd for fd in range(4096) if is_open(fd)]
`;

/** The error number that each call of the C library fails with. */
const libc = `import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def tried(name, *args):
    ctypes.set_errno(0)
    return "done" if getattr(libc, name)(*args) >= 0 else errno.errorcode[ctypes.get_errno()]
`;

describe("a guest", () => {
  test("is the first process of its namespaces, nobody, without environment or files", async () => {
    expect(
      await run(`${openDescriptors}
import posix, sys
[os.getpid(), os.getppid(), os.getuid(), os.getgid(), os.getgroups(), dict(os.environ), posix.environ, os.uname().nodename,
 os.listdir("/proc"), os.listdir("/tmp"), os.getcwd(), open_descriptors, sorted(os.listdir("/dev")), sys.argv]`),
    ).toEqual(ok([1, 0, 65534, 65534, [], {}, {}, "sandbox", [], [], "/tmp", [0, 1, 2, 3], ["null", "shm"], [""]]));
  });

  test("sees the interpreter and nothing else of the host, and can write to its scratch folder alone", async () => {
    expect(
      await run(`
import os
def can_write(folder):
    try: open(os.path.join(folder, "x"), "w").close()
    except OSError: return False
    return True
sorted({*os.listdir("/")} - {"cgroup"}), os.listdir("/cgroup") if os.path.exists("/cgroup") else [], [place for place, _, _ in os.walk("/") if can_write(place)]`),
    ).toEqual(ok([["dev", "guest", "lib", "lib64", "proc", "python", "tmp", "usr"], [], ["/tmp"]]));
    const hidden = [root, process.env["HOME"] ?? "/root", "/etc", "/var", "/home", "/sys", "/usr/bin", "/bin/sh"];
    expect(await run(`import os\n[path for path in ${JSON.stringify(hidden)} if os.path.exists(path)]`)).toEqual(
      ok([]),
    );
    expect(await run("import sys\n[p for p in [sys.executable, *sys.path] if not p.startswith('/python/')]")).toEqual(
      ok([]),
    );
  });

  test("can start neither processes nor programs", async () => {
    const attempts = [
      "os.fork()",
      "os.posix_spawn('/python', ['x'], {})",
      "os.execv(sys.executable, ['x'])",
      "os.system('true') and 1/0",
    ];
    for (const attempt of attempts) {
      expect([attempt, await run(`import os, sys\n${attempt}`)]).toEqual([
        attempt,
        expect.objectContaining({ end: "error" }),
      ]);
    }
    expect(await run("import os\nos.fork()")).toMatchObject({ error: { name: "PermissionError" } });
  });

  test("has no sockets but pairs of its own", async () => {
    const families = "AF_INET AF_INET6 AF_UNIX AF_NETLINK AF_PACKET";
    expect(
      await run(`
import socket
def tried(family):
    try: socket.socket(getattr(socket, family))
    except PermissionError: return "refused"
[*map(tried, "${families}".split()), len(socket.socketpair())]`),
    ).toEqual(ok(["refused", "refused", "refused", "refused", "refused", 2]));
  });

  test("gets nothing of the rest of the kernel", async () => {
    expect(
      await run(`${libc}
[tried("ptrace", 16, 1, 0, 0), tried("mount", b"x", b"/tmp", b"tmpfs", 0, b""), tried("umount2", b"/proc", 2), tried("unshare", 0x10000000),
 tried("setns", 0, 0), tried("chroot", b"/tmp"), tried("memfd_create", b"x", 0), tried("process_vm_readv", 1, 0, 0, 0, 0, 0),
 tried("prctl", 24, 0, 0, 0, 0), tried("shmget", 0, 4096, 0o1600), tried("setuid", 0), tried("personality", 0), tried("syscall", 425, 1, 0),
 tried("syscall", 321, 0, 0, 0), tried("syscall", 435, 0, 0), tried("syscall", 1000)]`),
    ).toEqual(ok([...Array(14).fill("EPERM"), "ENOSYS", "ENOSYS"]));
  });

  test("reaches no other process by signals", async () => {
    const neighbour = await engine.start();
    expect(
      await run(`
import os
def tried(pid):
    try: os.kill(pid, 9)
    except OSError as e: return e.strerror
[tried(pid) for pid in (0, -1, 2, 3, 4, 5)]`),
    ).toEqual(ok([null, ...Array(5).fill("No such process")]));
    expect(await runIn(neighbour, "'alive'")).toEqual(ok("alive"));
    expect(await run("'the server forks on'")).toEqual(ok("the server forks on"));
    neighbour.kill();
  });

  test("shares no files, no random numbers and no state with another", async () => {
    const [one, other] = await Promise.all([engine.start(), engine.start()]);
    const leave = `import random, sys, json\nopen("/tmp/left", "w").write("x")\njson.left = 1\nrandom.random()`;
    const look = `import random, os, json\n[os.listdir("/tmp"), hasattr(json, "left"), random.random()]`;
    const first = await runIn(one, leave);
    const second = await runIn(other, look);
    expect(second).toEqual(ok([[], false, expect.any(Number)]));
    expect(first).not.toEqual(ok((second as { value: unknown[] }).value[2]));
    expect(await run(look)).toEqual(ok([[], false, expect.any(Number)]));
    one.kill();
    other.kill();
  });

  test("that ends in whatever way ends alone, with a typed outcome", async () => {
    const neighbour = await engine.start();
    const crashed = { end: "crashed", reason: expect.stringContaining("ended") };
    expect(await run("import os\nos._exit(0)")).toEqual(crashed);
    expect(await run("import os\nos.abort()")).toEqual(crashed);
    expect(await run("import ctypes\nctypes.string_at(0)")).toEqual(crashed);
    expect(await run("import sys\nsys.setrecursionlimit(10**9)\ndef f(*a): return f(*a)\nf()")).not.toMatchObject({
      end: "ok",
    });
    expect(await run("import os\nfor fd in range(3, 64):\n  try: os.close(fd)\n  except OSError: pass\n1")).toEqual(
      crashed,
    );
    expect(await run("import sys\nsys.exit(7)")).toMatchObject({ end: "error" });
    expect(await runIn(neighbour, "'alive'")).toEqual(ok("alive"));
    neighbour.kill();
  });
});

describe("a limit", () => {
  test.each([64, 256])(
    "of %i MB of memory trips near that, and leaves room for less",
    async (memoryMb) => {
      const own = createCPythonEngine({ limits: { ...limits, memoryMb }, findProgram });
      const most = `
blocks = []
try:
    while True: blocks.append(bytearray(1_000_000))
except MemoryError:
    count = len(blocks)
    blocks.clear()
count`;
      const reached = (await run(most, own)) as { value: number };
      expect(reached.value).toBeGreaterThan(memoryMb * 0.9);
      expect(reached.value).toBeLessThan(memoryMb * 1.1);
      for (const code of [
        "a = []\nwhile True: a.append(object())",
        "'x' * 10**12",
        "s = 'ab'\nwhile True: s += s",
        "{i: str(i) for i in range(10**9)}",
        "import mmap\na = []\nwhile True: a.append(mmap.mmap(-1, 10**7, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))[-1]",
      ]) {
        const outcome = await run(code, own);
        // Memory that Python did not ask for itself fails with an error number.
        const isTyped = outcome.end === "limit" ? outcome.limit === "memory" : outcome.end === "error";
        expect([code, outcome, isTyped]).toEqual([code, outcome, true]);
      }
      await own.rest?.();
    },
    60_000,
  );

  test("on memory has no way round: shared, growing or file memory is counted or refused", async () => {
    expect(
      await run(`${libc}
import mmap
[tried("mmap", 0, 1 << 30, 3, 0x21, -1, 0), tried("mmap", 0, 1 << 30, 3, 0x122, -1, 0), tried("mmap", 0, 1 << 30, 3, 0x22, -1, 0)]`),
    ).toEqual(ok(["ENOMEM", "ENOMEM", "ENOMEM"]));
  });

  test("on CPU time, files, scratch space, inodes and threads trips with its own name", async () => {
    const brief = createCPythonEngine({ limits: { ...limits, cpuSeconds: 1 }, findProgram });
    expect(await run("while True: pass", brief)).toEqual({ end: "limit", limit: "cpu" });
    await brief.rest?.();
    const limit = (name: string) => ({ end: "limit", limit: name });
    expect(await run("a = [open('/dev/null') for _ in range(1000)]")).toEqual(limit("open_files"));
    expect(await run("open('/tmp/a', 'wb').write(b'x' * 9_000_000)")).toEqual(limit("scratch"));
    expect(await run("for i in range(9): open(f'/tmp/{i}', 'wb').write(b'x' * 1_000_000)")).toEqual(limit("scratch"));
    expect(await run("import os\nfor i in range(100_000): os.mkdir(f'/tmp/{i}')")).toEqual(limit("scratch"));
    expect(
      await run(
        "import threading\ne = threading.Event()\nfor _ in range(100): threading.Thread(target=e.wait, daemon=True).start()",
      ),
    ).toEqual(limit("processes"));
    expect(
      await run(
        "from concurrent.futures import ThreadPoolExecutor as T\nwith T(30) as p: r = list(p.map(abs, range(-100, 0)))\nlen(r)",
      ),
    ).toEqual(ok(100));
    expect(await run("from multiprocessing.pool import ThreadPool\nThreadPool(4).map(abs, [-1, -2])")).toEqual(
      ok([1, 2]),
    );
  });

  test("on threads holds for those that Python does not know of, where the kernel counts them", async () => {
    const counts = (await engine.isolation()).detail.includes("control groups") || process.getuid?.() !== 0;
    const most = `
import ctypes, threading, time
libc = ctypes.CDLL(None)
pause = ctypes.cast(libc.pause, ctypes.c_void_p)
def start():
    return libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, pause, None)
# The kernel may take a moment to put a fresh guest under its limits.
time.sleep(0.2)
sum(start() == 0 for _ in range(60))`;
    const { value } = (await run(most)) as { value: number };
    expect(value).toBeLessThan(counts ? limits.processes : 61);
  });

  test("cannot be raised by the guest", async () => {
    expect(
      await run(`
import resource
def raised(kind):
    try: resource.setrlimit(kind, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (ValueError, OSError): return False
    return True
[raised(k) for k in (resource.RLIMIT_DATA, resource.RLIMIT_AS, resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)]`),
    ).toEqual(ok([false, false, false, false, false]));
  });
});

describe("the engine", () => {
  test("starts more guests than one fork server has slots, one after the other and at once", async () => {
    for (let round = 0; round < 3; round++) {
      const sandboxes = await Promise.all(Array.from({ length: 20 }, () => engine.start()));
      const outcomes = await Promise.all(sandboxes.map((sandbox, index) => runIn(sandbox, `${index} + 1`)));
      expect(outcomes).toEqual(sandboxes.map((_sandbox, index) => ok(index + 1)));
      for (const sandbox of sandboxes) sandbox.kill();
    }
  });

  test("gives up a start that is aborted, before and after", async () => {
    await expect(engine.start(AbortSignal.abort())).rejects.toThrow();
    const controller = new AbortController();
    const sandbox = await engine.start(controller.signal);
    const running = runIn(sandbox, "while True: pass");
    controller.abort();
    expect((await running).end).toBe("crashed");
  });

  test("says what isolates its guests", async () => {
    expect(await engine.isolation()).toEqual({ layer: "os", detail: expect.stringContaining("in bubblewrap") });
  });

  test("rests without a process, and works again after that", async () => {
    await engine.rest?.();
    expect(children()).not.toContain("bwrap");
    expect(await run("1")).toEqual(ok(1));
  });

  test("takes the packages of a virtual environment, and those of its base not", async () => {
    const folder = mkdtempSync(join(tmpdir(), "venv-"));
    execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", folder]);
    const lib = readdirSync(join(folder, "lib"))[0] as string;
    const packages = join(folder, "lib", lib, "site-packages");
    mkdirSync(join(packages, "only_here"));
    writeFileSync(join(packages, "only_here/__init__.py"), "answer = 42\n");
    const own = createCPythonEngine({ limits, findProgram, interpreter: join(folder, "bin/python") });
    expect(await own.modules?.()).toEqual(new Set(["only_here"]));
    expect(await run("import only_here, sys\n[only_here.answer, only_here.__file__, sys.prefix]", own)).toEqual(
      ok([42, "/python/packages/0/only_here/__init__.py", "/python"]),
    );
    await own.rest?.();
    rmSync(folder, { recursive: true });
  });

  test("remembers an interpreter until a package is installed, and hears when a script picks another one", async () => {
    const folder = mkdtempSync(join(tmpdir(), "remembered-"));
    for (const name of ["first", "second"]) {
      execFileSync("/usr/bin/python3", ["-m", "venv", "--without-pip", join(folder, name)]);
    }
    const lib = readdirSync(join(folder, "first/lib"))[0] as string;
    const install = (venv: string, name: string) =>
      mkdirSync(join(folder, venv, "lib", lib, "site-packages", name), { recursive: true });
    const memory = join(folder, "memory");
    // It is written anew whenever the interpreter was asked.
    const asked = () => readdirSync(memory).map((name) => statSync(join(memory, name)).ino);
    const interpreter = join(folder, "shims", "python3");
    mkdirSync(dirname(interpreter));
    const pick = (venv: string) => {
      const script = `#!/bin/sh\nexec ${join(folder, venv, "bin/python")} "$@"\n`;
      writeFileSync(interpreter, script, { mode: 0o755 });
    };
    const find = (name: string) => (name === "python3" ? interpreter : findProgram(name));
    const open = () => createCPythonEngine({ limits, findProgram: find, memory });
    pick("first");
    expect(await open().modules?.()).toEqual(new Set());
    const once = asked();
    expect(await open().modules?.()).toEqual(new Set());
    expect(asked()).toEqual(once);
    install("first", "added");
    expect(await open().modules?.()).toEqual(new Set(["added"]));
    expect(asked()).not.toEqual(once);

    install("second", "other");
    const own = open();
    expect(await own.modules?.()).toEqual(new Set(["added"]));
    const { mtime } = statSync(interpreter);
    pick("second");
    utimesSync(interpreter, mtime, mtime); // as with a version manager: the script itself stays
    await vi.waitFor(async () => expect(await own.modules?.()).toEqual(new Set(["other"])), { timeout: 15_000 });
    await own.rest?.();
    rmSync(folder, { recursive: true });
  });
});

describe("without what it needs", () => {
  const folder = mkdtempSync(join(tmpdir(), "pythons-"));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const refusal = (text: string) => ({
    code: "engine_unavailable",
    message: expect.stringContaining(text),
    hint: expect.stringContaining("apt-get install bubblewrap python3"),
  });
  const refuses = async (own: Engine, text: string) => {
    await expect(own.isolation()).rejects.toMatchObject(refusal(text));
    await expect(own.start()).rejects.toMatchObject(refusal(text));
  };

  test("nothing runs, and the error has the fix", async () => {
    const without = (missing: string) => (name: string) => (name === missing ? undefined : findProgram(name));
    await refuses(
      createCPythonEngine({ limits, findProgram: without("bwrap") }),
      "bubblewrap (bwrap) is not installed",
    );
    await refuses(createCPythonEngine({ limits, findProgram: without("python3") }), "python3 is not installed");
    await refuses(
      createCPythonEngine({ limits, findProgram: (name) => (name === "bwrap" ? "/bin/false" : findProgram(name)) }),
      "/bin/false",
    );
    await refuses(createCPythonEngine({ limits, findProgram, interpreter: "/bin/false" }), "/bin/false");
    const old = {
      version: [3, 8, 1],
      executable: "/bin/sh",
      started: "/bin/sh",
      prefixes: [],
      stdlib: [],
      packages: [],
      linked: [],
      extensions: [],
      modules: [],
      compiled: {},
    };
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "python3"), `#!/bin/sh\necho '${JSON.stringify(old)}'\n`);
    chmodSync(join(folder, "python3"), 0o755);
    const python3 = join(folder, "python3");
    await refuses(
      createCPythonEngine({ limits, findProgram: (name) => (name === "python3" ? python3 : findProgram(name)) }),
      "guests need 3.9 or newer",
    );
    await refuses(createCPythonEngine({ limits, findProgram, interpreter: python3 }), "it is a script, not a Python");
  });
});

test("a thread of a session uses no processor between runs, and goes on in the next one", async () => {
  const sandbox = await engine.start();
  const spin = `
import threading, time
count = 0
def spin():
    global count
    while True:
        count += 1
threading.Thread(target=spin, daemon=True).start()
time.process_time()`;
  const used = async (code: string): Promise<number> => {
    const outcome = await runIn(sandbox, code);
    if (outcome.end !== "ok") throw new Error(JSON.stringify(outcome));
    return outcome.value as number;
  };
  const before = await used(spin);
  await delay(3000);
  const after = await used("time.process_time()");
  expect(after - before).toBeLessThan(1);
  expect(await used("was = count\ntime.sleep(0.3)\ncount - was")).toBeGreaterThan(0);
  sandbox.kill();
  expect(sandbox.ended).toBe(true);
});

test("nothing is left when the host is killed, and nothing of its parents is passed on", async () => {
  const folder = mkdtempSync(join(root, "node_modules/.host-"));
  const source = `
    import { createCPythonEngine } from ${JSON.stringify(join(root, "src/sandbox/cpython/engine.ts"))};
    const engine = createCPythonEngine({ limits: ${JSON.stringify(limits)}, findProgram: (name) => "/usr/bin/" + name });
    const sandbox = await engine.start();
    const ports = { call: async () => "1", operation: async () => "1", print: (_stream, text) => process.stdout.write(text) };
    const code = ${JSON.stringify(openDescriptors)} + "print(open_descriptors)\\nwhile True: pass";
    const program = { code, libraries: [], modules: [], operations: [], imports: { allow: ["*"], deny: [] } };
    await sandbox.run(program, ports, { timeoutMs: 60_000 });
  `;
  writeFileSync(join(folder, "host.ts"), source);
  const file = join(folder, "host.mjs");
  await build({
    entryPoints: [join(folder, "host.ts")],
    outfile: file,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "error",
  });
  // The file stands for what a careless parent leaves open.
  const stray = openSync(file, "r");
  const stdio: StdioOptions = ["ignore", "pipe", "inherit", ...Array<"ignore">(80).fill("ignore"), stray];
  const host = spawn(process.execPath, [file], { stdio });
  closeSync(stray);
  const printed = await new Promise<Buffer>((resolve) => host.stdout?.once("data", resolve));
  expect(printed.toString()).toBe("[0, 1, 2, 3]\n");
  const started = descendants(host.pid as number);
  expect(started.length).toBeGreaterThan(3);
  host.kill("SIGKILL");
  await vi.waitFor(() => expect(started.filter(isAlive)).toEqual([]), 3000);
  rmSync(folder, { recursive: true });
});

function children(): string {
  return execFileSync("ps", ["-o", "args=", "--ppid", String(process.pid)]).toString();
}

function descendants(pid: number): number[] {
  const own = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(/\s+/).filter(Boolean).map(Number);
  return own.flatMap((child) => [child, ...descendants(child)]);
}

function isAlive(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
}
