import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test, vi } from "vitest";
import { childGuestProcess } from "../../src/sandbox/child-process.ts";
import type { CallRequest, GuestLibrary, GuestPorts, Limits, Outcome, Sandbox } from "../../src/sandbox/engine.ts";
import { openSandbox } from "../../src/sandbox/open-sandbox.ts";
import { startGroup } from "../../src/system/start-group.ts";

// The Python guest alone, in a process without a sandbox: what the language and our modules do.

const main = fileURLToPath(new URL("../../src/sandbox/guest/python/main.py", import.meta.url));
const python = process.env["PYTHON"] ?? "python3";
const limits: Limits = {
  memoryMb: 512,
  cpuSeconds: 20,
  processes: 32,
  openFiles: 128,
  scratchMb: 8,
  outputBytes: 3_000_000,
  toolCalls: 1000,
  parallelToolCalls: 32,
};
const libraries: GuestLibrary[] = [
  {
    server: "echo server",
    module: "echo",
    tools: [
      ["say", "say"],
      ["search_papers", "search-papers", { class_: "class", max_results: "max-results" }],
      ["__path__", "__path__"],
    ],
  },
];

class Ports implements GuestPorts {
  readonly calls: CallRequest[] = [];
  readonly operations: [string, unknown][] = [];
  readonly prints: [string, string][] = [];
  private readonly barriers: (() => void)[] = [];

  async call(request: CallRequest): Promise<string> {
    this.calls.push(request);
    const { tool, args } = request;
    if (tool === "fail") {
      throw Object.assign(new Error("no luck"), {
        server: request.server,
        tool,
        delivery: "failed",
        code: "call_failed",
      });
    }
    // Answers only when `together` calls are under way: what is not parallel never ends.
    if (tool === "together") {
      await new Promise<void>((resolve) => {
        this.barriers.push(resolve);
        if (this.barriers.length === args["together"]) for (const open of this.barriers.splice(0)) open();
      });
    }
    if (tool === "big") return JSON.stringify("x".repeat(args["size"] as number));
    if (tool === "deep") return "[".repeat(100_000) + "]".repeat(100_000);
    return JSON.stringify(args);
  }

  async operation(name: string, args: unknown): Promise<string> {
    this.operations.push([name, args]);
    if (name === "refuse") throw new Error("not today");
    return JSON.stringify({ name, args });
  }

  print(stream: "stdout" | "stderr", text: string): undefined {
    this.prints.push([stream, text]);
  }

  printed(stream: "stdout" | "stderr"): string {
    return this.prints.flatMap(([name, text]) => (name === stream ? [text] : [])).join("");
  }
}

const open = new Set<Sandbox>();
afterEach(() => {
  for (const sandbox of open) sandbox.kill();
  open.clear();
});

async function start(program: readonly string[] = [main]): Promise<Sandbox> {
  const group = startGroup(python, ["-I", "-B", ...program], { env: {} });
  const guest = childGuestProcess(group, (code, signal) => ({ end: "crashed", reason: `${signal ?? code}` }));
  const sandbox = await openSandbox(guest, limits);
  open.add(sandbox);
  return sandbox;
}

interface Run {
  readonly outcome: Outcome;
  readonly ports: Ports;
}

async function runIn(
  sandbox: Sandbox,
  code: string,
  options: { imports?: object; timeoutMs?: number } = {},
): Promise<Run> {
  const ports = new Ports();
  const program = {
    code,
    libraries,
    modules: [],
    operations: [["artifacts.read", "uri"], ["artifacts.list"], ["ping"], ["refuse"]] as const,
    imports: { allow: ["*"], deny: [], ...options.imports },
  };
  return { outcome: await sandbox.run(program, ports, { timeoutMs: options.timeoutMs ?? 10_000 }), ports };
}

const run = async (code: string, options?: { imports?: object; timeoutMs?: number }): Promise<Run> =>
  runIn(await start(), code, options);
const outcome = async (code: string): Promise<Outcome> => (await run(code)).outcome;
const ok = (value: unknown) => ({ end: "ok", value });
const error = (fields: object) => ({ end: "error", error: expect.objectContaining(fields) });

describe("source", () => {
  test("gives the value of the last expression, or none", async () => {
    const sandbox = await start();
    for (const [code, expected] of [
      ["1 + 1", ok(2)],
      ["x = 1", { end: "ok" }],
      ["print('a')", { end: "ok" }],
      ["", { end: "ok" }],
      ["'only a string'", ok("only a string")],
      ["from __future__ import annotations\ndef f(a: Nope) -> Nope: return 1\nf(1)", ok(1)],
      ["import asyncio\nawait asyncio.sleep(0, 'slept')", ok("slept")],
      ["import asyncio\nasync def f(): return 5\nasyncio.run(f())", ok(5)],
      ["[x async for x in (y async for y in agen())]\n".replace(/^/, "async def agen():\n  yield 1\n"), ok([1])],
      ["(__name__, '__file__' in globals())", ok(["__main__", false])],
      ["\ufeff# -*- coding: utf-7 -*-\n'+AGE-'", ok("+AGE-")],
      ["a = 1\rb = 2\ra + b", ok(3)],
      ["\f\nx = 3\n\f\nx", ok(3)],
      ["import inspect\ndef f():\n  return 1\ninspect.getsource(f)", ok("def f():\n  return 1\n")],
      ["import pickle\nclass A: pass\ntype(pickle.loads(pickle.dumps(A()))) is A", ok(true)],
    ] as const) {
      expect([code, (await runIn(sandbox, code)).outcome]).toEqual([code, expected]);
    }
  });

  test("answers what does not parse with a SyntaxError and its line", async () => {
    expect(await outcome("a = 1\nb = = 2")).toEqual(error({ name: "SyntaxError", message: "invalid syntax", line: 2 }));
    expect(await outcome("x = 1\0")).toEqual(error({ name: "SyntaxError" }));
    expect(await outcome("x = '\ud800'")).toEqual(error({ name: "SyntaxError" }));
    expect(await outcome("def f(:\n")).toEqual(error({ name: "SyntaxError", line: 1 }));
    expect(await outcome(`${"(".repeat(5000)}${")".repeat(5000)}`)).toEqual(error({ name: expect.any(String) }));
  });
});

describe("values", () => {
  test("keeps what JSON can say and shows the rest", async () => {
    const code = `
import dataclasses, datetime, decimal, enum, pathlib, uuid, collections, fractions, types
@dataclasses.dataclass
class Point:
    x: int
    y: object = None
class Color(enum.Enum):
    RED = "red"
class Level(enum.IntEnum):
    LOW = 1
class Text(str):
    def __str__(self): return "other"
Pair = collections.namedtuple("Pair", "a b")
loop = {"b": 1}
loop["a"] = loop
shared = [1]
{"tuple": (1, 2), "set": {"b", "a"}, "point": Point(1, Pair(2, 3)), "enum": [Color.RED, Level.LOW],
 "when": [datetime.datetime(2020, 1, 2, 3, 4, 5), datetime.date(2020, 1, 2), datetime.timedelta(seconds=90)],
 "decimal": decimal.Decimal("1.10"), "bytes": b"hi", "path": pathlib.PurePosixPath("/a/b"), "uuid": uuid.UUID(int=1),
 "floats": [float("nan"), float("inf"), -float("inf"), 0.1], "big": [2**53, 2**53 + 1, -2**70], "loop": loop, "shared": [shared, shared],
 1: "one", None: "none", (1, 2): "pair", "text": Text("kept"), "counter": collections.Counter("aab"), "range": range(3),
 "deque": collections.deque([1]), "error": ValueError("bad"), "fraction": fractions.Fraction(1, 3), "keys": {"k": 1}.keys(),
 "namespace": types.SimpleNamespace(a=1), "object": type("Odd", (), {"__repr__": lambda self: "odd"})()}`;
    expect(await outcome(code)).toEqual(
      ok({
        tuple: [1, 2],
        set: ["a", "b"],
        point: { x: 1, y: { a: 2, b: 3 } },
        enum: ["red", 1],
        when: ["2020-01-02T03:04:05", "2020-01-02", "0:01:30"],
        decimal: "1.10",
        bytes: { base64: "aGk=" },
        path: "/a/b",
        uuid: "00000000-0000-0000-0000-000000000001",
        floats: ["NaN", "Infinity", "-Infinity", 0.1],
        big: [9007199254740992, "9007199254740993", "-1180591620717411303424"],
        loop: { b: 1, a: "[Circular]" },
        shared: [[1], [1]],
        "1": "one",
        null: "none",
        "1/2": "pair",
        text: "kept",
        counter: { a: 2, b: 1 },
        range: [0, 1, 2],
        deque: [1],
        error: { name: "ValueError", message: "bad" },
        fraction: "1/3",
        keys: ["k"],
        namespace: { a: 1 },
        object: "odd",
      }),
    );
  });

  test("gives the start of a result that is too long, and ends at its limit with one that is too deep", async () => {
    const start = async (code: string) => (await outcome(code)) as { parts?: object };
    expect((await start("'x' * 4_000_000")).parts).toEqual({
      unit: "characters",
      total: 4_000_000,
      kept: expect.any(Number),
    });
    expect((await start("range(4_000_000)")).parts).toEqual({
      unit: "items",
      total: 4_000_000,
      kept: expect.any(Number),
    });
    expect(await outcome("a = []\nfor _ in range(2000): a = [a]\na")).toEqual({ end: "limit", limit: "frame" });
    expect(await outcome("a = []\nfor _ in range(300): a = [a]\na")).toMatchObject({ end: "ok" });
  });

  test("fails when a value's own methods do", async () => {
    const hostile = (body: string) => `class A:\n  def __repr__(self): ${body}\nA()`;
    expect(await outcome(hostile("raise ValueError('mine')"))).toEqual(error({ name: "ValueError", message: "mine" }));
    expect(await outcome(hostile("return 5"))).toEqual(error({ name: "TypeError" }));
    expect(await outcome(hostile("return 'x' * 10_000"))).toEqual(ok(`${"x".repeat(1000)}…`));
    expect((await run(hostile("\n    while True: pass"), { timeoutMs: 300 })).outcome).toEqual({ end: "timeout" });
  });
});

describe("errors", () => {
  test("name the class, the message and the guest's lines, innermost first", async () => {
    const code = "import json\n\ndef f(text):\n  return json.loads(text)\n\nf('{')";
    expect(await outcome(code)).toEqual(error({ name: "JSONDecodeError", line: 4, stack: "line 4 in f\nline 6" }));
    expect(await outcome("async def f():\n  1 / 0\nawait f()")).toEqual(
      error({ name: "ZeroDivisionError", message: "division by zero", line: 2, stack: "line 2 in f\nline 3" }),
    );
    expect(await outcome("def f(): f()\nf()")).toEqual(
      error({ name: "RecursionError", stack: expect.stringMatching(/^line 1 in f\n(.*\n)*… 9\d\d more\n/) }),
    );
  });

  test("are shown however the exception is made", async () => {
    const hostile = (body: string) => `class Bad(Exception):\n  def __str__(self): ${body}\nraise Bad()`;
    expect(await outcome(hostile("raise ValueError('x')"))).toEqual(
      error({ name: "Bad", message: "<a Bad that cannot be shown>" }),
    );
    expect(await outcome(hostile("return 7"))).toEqual(error({ name: "Bad", message: "<a Bad that cannot be shown>" }));
    const long = (await outcome(hostile("return 'y' * 1_000_000"))) as { error: { message: string } };
    expect(long.error.message).toHaveLength(8000);
    expect(await outcome("raise BaseException('base')")).toEqual(error({ name: "BaseException", message: "base" }));
    expect(await outcome("raise KeyboardInterrupt")).toEqual(error({ name: "KeyboardInterrupt" }));
  });

  test("are not a success, and text on stderr is not a failure", async () => {
    const { outcome: failed, ports } = await run("print('before')\nraise ValueError('after')");
    expect([failed, ports.printed("stdout")]).toEqual([
      error({ name: "ValueError", message: "after", line: 2 }),
      "before\n",
    ]);
    const warned = await run("import sys\nprint('warning', file=sys.stderr)\nprint('out')\n5");
    expect([warned.outcome, warned.ports.prints]).toEqual([
      ok(5),
      [
        ["stderr", "warning\n"],
        ["stdout", "out\n"],
      ],
    ]);
  });

  test("become limits where they say that one was reached", async () => {
    expect(await outcome("raise MemoryError")).toEqual({ end: "limit", limit: "memory" });
    expect(await outcome("import errno\nraise OSError(errno.EMFILE, 'x')")).toEqual({
      end: "limit",
      limit: "open_files",
    });
    expect(await outcome("import errno\nraise OSError(errno.ENOSPC, 'x')")).toEqual({ end: "limit", limit: "scratch" });
    expect(await outcome(`raise RuntimeError("can't start new thread")`)).toEqual({ end: "limit", limit: "processes" });
  });

  test("of a task that nobody awaited show on stderr", async () => {
    const code =
      "import asyncio\nasync def f(): raise ValueError('lost')\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)\n1";
    const { outcome: ended, ports } = await run(code);
    expect([ended, ports.printed("stderr")]).toEqual([ok(1), expect.stringContaining("ValueError: lost")]);
  });
});

describe("leaving", () => {
  test.each([
    ["import sys\nprint('bye')\nsys.exit()", { end: "ok" }],
    ["import sys\nsys.exit(0)", { end: "ok" }],
    ["import sys\nsys.exit(3)", error({ name: "SystemExit", message: "The guest ended its process with code 3" })],
    ["import sys\nsys.exit('no good')", error({ name: "SystemExit", message: "no good" })],
    [
      "import asyncio, sys\nawait asyncio.sleep(0)\nsys.exit(4)",
      error({ message: "The guest ended its process with code 4" }),
    ],
    ["exit()", { end: "ok" }],
    ["import os\nos._exit(0)", { end: "crashed", reason: "0" }],
    ["import os\nos.abort()", { end: "crashed", reason: "SIGABRT" }],
  ])("%s", async (code, expected) => {
    expect(await outcome(code)).toEqual(expected);
  });
});

describe("streams", () => {
  test("carry text in order, a line at a time", async () => {
    const { ports } = await run(`
import sys
print("a", "b", 1, sep="-")
print("é😀", "\\ud800")
print("err", file=sys.stderr)
sys.stdout.buffer.write("ü".encode())
sys.stdout.write("no newline")
`);
    expect(ports.prints).toEqual([
      ["stdout", "a-b-1\n"],
      ["stdout", "é😀 \\ud800\n"],
      ["stderr", "err\n"],
      ["stdout", "üno newline"],
    ]);
  });

  test("take more than 1 MiB", async () => {
    const { outcome: ended, ports } = await run("print('x' * 2_000_000)\n1");
    expect([ended, ports.printed("stdout").length]).toEqual([ok(1), 2_000_001]);
  });

  test("cannot be used to break the protocol or to wait", async () => {
    expect(await outcome("import os\nos.write(1, b'garbage')\nos.write(2, b'garbage')\n1")).toEqual(ok(1));
    expect(await outcome("input('name? ')")).toEqual(error({ name: "EOFError" }));
    expect(await outcome("import sys\n(sys.stdin.read(), open(0).read())")).toEqual(ok(["", ""]));
    expect(await outcome("import sys\nsys.stdout.close()\nsys.stderr.close()\n1")).toEqual(ok(1));
    expect(
      await outcome("class S:\n  def write(self, t): 1/0\n  def flush(self): 1/0\nimport sys\nsys.stdout = S()\n1"),
    ).toEqual(ok(1));
  });
});

describe("libraries", () => {
  test("are modules with functions that take exact data and give it back", async () => {
    const { outcome: ended, ports } = await run(`
import mcp_tools
from mcp_tools import ToolError, call
from mcp_tools.echo import say, search_papers, list_tools
import mcp_tools.echo as echo
from mcp_tools import echo as again
[say(text="hé", n=[1, 2.5, None, True]), search_papers(class_="a", **{"max-results": 2}), echo.call("exact-name", {"a": 1}),
 call("other server", "tool"), mcp_tools.echo is echo is again, list_tools(), say.__name__, echo.call("__path__")]`);
    expect(ended).toEqual(
      ok([
        { text: "hé", n: [1, 2.5, null, true] },
        { class: "a", "max-results": 2 },
        { a: 1 },
        {},
        true,
        { name: "list_tools", args: { server_name: "echo server" } },
        "say",
        {},
      ]),
    );
    expect(ports.calls.map(({ server, tool }) => `${server}/${tool}`)).toEqual([
      "echo server/say",
      "echo server/search-papers",
      "echo server/exact-name",
      "other server/tool",
      "echo server/__path__",
    ]);
  });

  test("send nothing that JSON cannot say, and no number that would arrive as another", async () => {
    const sandbox = await start();
    const tried = async (argument: string) => {
      const { outcome: ended, ports } = await runIn(
        sandbox,
        `from mcp_tools.echo import say\nsay(good=1, bad=${argument})`,
      );
      expect(ports.calls).toEqual([]);
      return ended;
    };
    for (const argument of [
      "object()",
      "{1, 2}",
      "float('nan')",
      "b'x'",
      "2**53 + 1",
      "[{'a': -2**60}]",
      "{(1, 2): 3}",
      "lambda: 1",
    ]) {
      expect(await tried(argument)).toEqual(error({ name: "TypeError", message: expect.stringContaining("'bad'") }));
    }
    expect(await tried("(lambda a: a.append(a) or a)([])")).toEqual(error({ name: "TypeError" }));
    expect((await runIn(sandbox, "from mcp_tools.echo import say\nsay(1)")).outcome).toEqual(
      error({ name: "TypeError", message: "say() takes keyword arguments only: say(name=value)" }),
    );
    expect(
      (await runIn(sandbox, "from mcp_tools.echo import search_papers as s\ns(class_=1, **{'class': 2})")).outcome,
    ).toEqual(error({ name: "TypeError" }));
  });

  test("raise ToolError for a failed call", async () => {
    expect(
      await outcome(`
from mcp_tools import ToolError, echo
try:
    echo.call("fail")
except ToolError as e:
    result = [e.server, e.tool, e.delivery, e.code, e.message, str(e), type(e).__module__]
result`),
    ).toEqual(ok(["echo server", "fail", "failed", "call_failed", "no luck", "no luck", "mcp_tools"]));
    expect(await outcome("from mcp_tools import echo\necho.call('fail')")).toEqual(
      error({
        name: "ToolError",
        server: "echo server",
        tool: "fail",
        delivery: "failed",
        message: "no luck",
        line: 2,
      }),
    );
  });

  test("say what exists when a name is wrong", async () => {
    expect(await outcome("import mcp_tools.ecko")).toEqual(
      error({
        name: "ModuleNotFoundError",
        message: expect.stringMatching(/'mcp_tools.ecko'.*did you mean 'mcp_tools.echo'/),
      }),
    );
    expect(await outcome("from mcp_tools import nope")).toEqual(
      error({ name: "ModuleNotFoundError", message: expect.stringContaining("mcp_tools.echo") }),
    );
    expect(await outcome("from mcp_tools.echo import sya")).toEqual(
      error({
        name: "ImportError",
        message: expect.stringMatching(/has no 'sya'; did you mean 'say'\?.*search_papers/),
      }),
    );
    expect(await outcome("import mcp_tools.echo as e\ne.sya")).toEqual(
      error({ name: "AttributeError", message: expect.stringContaining("did you mean 'say'?") }),
    );
    expect(await outcome("import mcp_tools.echo as e\nhasattr(e, 'nope')")).toEqual(ok(false));
  });

  test("offer the coordinator's operations", async () => {
    expect(
      await outcome(`
from coordinator import artifacts, ping
from mcp_tools import list_servers, search
from coordinator.aio import ping as ping_async
[artifacts.read("x"), ping(), list_servers(), search("a", server="b", limit=None), await ping_async(a=1)]`),
    ).toEqual(
      ok([
        { name: "artifacts.read", args: { uri: "x" } },
        { name: "ping", args: {} },
        { name: "list_servers", args: {} },
        { name: "search", args: { server: "b", query: "a" } },
        { name: "ping", args: { a: 1 } },
      ]),
    );
    expect(await outcome("from coordinator import refuse\nrefuse()")).toEqual(error({ message: "not today" }));
  });

  test("take results of any size and depth", async () => {
    expect(
      await outcome(
        "from mcp_tools.echo import call\n[len(call('big', {'size': n})) for n in (100_000, 6_000_000, 1)]",
      ),
    ).toEqual(ok([100_000, 6_000_000, 1]));
    expect(
      await outcome("from mcp_tools.echo import call, say\ntry: call('deep')\nexcept RecursionError: pass\nsay(a=1)"),
    ).toEqual(ok({ a: 1 }));
    expect(await outcome("from mcp_tools.echo import say\nlen(say(text='x' * 3_000_000)['text'])")).toEqual(
      ok(3_000_000),
    );
  });
});

describe("calls at the same time", () => {
  test.each([
    [
      "threads",
      `
from concurrent.futures import ThreadPoolExecutor
from mcp_tools.echo import call
with ThreadPoolExecutor(8) as pool:
    result = list(pool.map(lambda i: call("together", {"together": 8, "i": i})["i"], range(24)))
result == list(range(24))`,
    ],
    [
      "asyncio.gather",
      `
import asyncio
from mcp_tools.aio.echo import call
result = await asyncio.gather(*(call("together", {"together": 24, "i": i}) for i in range(24)))
[r["i"] for r in result] == list(range(24))`,
    ],
    [
      "asyncio.run",
      `
import asyncio
from mcp_tools.aio import echo
async def main():
    return await asyncio.gather(*(echo.call("together", {"together": 24, "i": i}) for i in range(24)))
[r["i"] for r in asyncio.run(main())] == list(range(24))`,
    ],
    [
      "threads beside an event loop",
      `
import asyncio
from mcp_tools.aio import echo as aio
from mcp_tools import echo
async def main(round):
    plain = [asyncio.to_thread(echo.call, "together", {"together": 12, "i": i}) for i in range(6)]
    twins = [aio.call("together", {"together": 12, "i": i}) for i in range(6, 12)]
    return [r["i"] for r in await asyncio.gather(*plain, *twins)]
all([await main(round) == list(range(12)) for round in range(20)])`,
    ],
    [
      "many threads, many calls",
      `
import threading
from mcp_tools.echo import say
sums = []
def work(n):
    sums.append(sum(say(i=i)["i"] for i in range(30)))
threads = [threading.Thread(target=work, args=(n,)) for n in range(20)]
for t in threads: t.start()
for t in threads: t.join()
sums == [435] * 20`,
    ],
  ])("%s", async (_name, code) => {
    expect(await outcome(code)).toEqual(ok(true));
  });

  test("that are cancelled or time out leave the others alone", async () => {
    expect(
      await outcome(`
import asyncio
from mcp_tools.aio.echo import call, say
try:
    await asyncio.wait_for(call("together", {"together": 2}), 0.05)
except asyncio.TimeoutError:
    result = await say(a=1)
await call("together", {"together": 2})
result`),
    ).toEqual(ok({ a: 1 }));
  });
});

describe("the end of a run", () => {
  test("waits for calls that are under way", async () => {
    for (const code of [
      "import asyncio\nfrom mcp_tools.aio.echo import say\nasync def two():\n  await say(i=1)\n  await say(i=2)\nt = asyncio.create_task(two())\nawait asyncio.sleep(0)",
      "import threading\nfrom mcp_tools.echo import say\nthreading.Thread(target=lambda: (say(i=1), say(i=2))).start()",
      "from concurrent.futures import ThreadPoolExecutor\nfrom mcp_tools.echo import say\np = ThreadPoolExecutor(2)\nx = [p.submit(say, i=i) for i in (1, 2)]",
    ]) {
      const { outcome: ended, ports } = await run(code);
      expect([code, ended, ports.calls.length]).toEqual([code, { end: "ok" }, 2]);
    }
  });

  test("refuses calls and prints of threads that outlive it, and the session goes on", async () => {
    const sandbox = await start();
    const told = join(mkdtempSync(join(tmpdir(), "guest-")), "told");
    const code = `
import threading
from mcp_tools.echo import say
def late():
    try:
        while True: say(late=1)
    except RuntimeError as e:
        print("late")
        open(${JSON.stringify(told)}, "w").write(str(e))
threading.Thread(target=late, daemon=True).start()
1`;
    expect((await runIn(sandbox, code)).outcome).toEqual(ok(1));
    await vi.waitFor(() => expect(readFileSync(told, "utf8")).toBe("The run has ended: its calls are over"));
    const second = await runIn(sandbox, "print('second')\n2");
    expect([second.outcome, second.ports.prints]).toEqual([ok(2), [["stdout", "second\n"]]]);
  });

  test("with an error abandons calls under way; threads that read hand the next program on", async () => {
    const sandbox = await start();
    const code = `
import threading
from mcp_tools.echo import call
ended = []
def wait():
    try: call("together", {"together": 2})
    except RuntimeError as e: ended.append(str(e))
threads = [threading.Thread(target=wait, daemon=True)]
for t in threads: t.start()
from mcp_tools.echo import say
say(i=1)
raise ValueError("stop")`;
    expect((await runIn(sandbox, code)).outcome).toEqual(error({ name: "ValueError" }));
    expect((await runIn(sandbox, "for t in threads: t.join()\nended")).outcome).toEqual(
      ok(["The run has ended: its calls are over"]),
    );
    expect((await runIn(sandbox, "say(i=2)")).outcome).toEqual(ok({ i: 2 }));
  });
});

describe("sessions", () => {
  test("keep names, imports and definitions, and tell earlier lines apart", async () => {
    const sandbox = await start();
    await runIn(sandbox, "import math\ndef f(x):\n  return 1 / x\ny = 2");
    expect((await runIn(sandbox, "math.floor(f(y) * 4)")).outcome).toEqual(ok(2));
    expect((await runIn(sandbox, "z = 0\n\n\nf(z)")).outcome).toEqual(
      error({ name: "ZeroDivisionError", line: 4, stack: "line 3 in f of an earlier run\nline 4" }),
    );
    expect((await runIn(sandbox, "y + z")).outcome).toEqual(ok(2));
  });

  test("go on after sys.exit, closed streams and an event loop", async () => {
    const sandbox = await start();
    await runIn(sandbox, "import sys, asyncio\nsys.stdout.close()\nsys.exit(1)");
    const { outcome: ended, ports } = await runIn(
      sandbox,
      "await asyncio.sleep(0)\nprint('again')\nawait asyncio.to_thread(lambda: 3)",
    );
    expect([ended, ports.printed("stdout")]).toEqual([ok(3), "again\n"]);
  });
});

describe("the import policy", () => {
  const deny = { imports: { deny: ["subprocess", "os.*", "urllib.request"] } };

  test.each([
    ["import subprocess", "subprocess"],
    ["from os import path", "os.path"],
    ["import os.path", "os.path"],
    ["import importlib\nimportlib.import_module('subprocess')", "subprocess"],
    ["__import__('subprocess')", "subprocess"],
    ["def f():\n  from urllib.request import urlopen\nf()", "urllib.request"],
  ])("%s", async (code, name) => {
    expect((await run(code, deny)).outcome).toEqual(
      error({ name: "ImportError", message: `The import of "${name}" is not allowed (coordinator.sandbox.imports)` }),
    );
  });

  test("leaves the standard library's own imports and our modules alone", async () => {
    const code = "import asyncio, tempfile, os\nfrom mcp_tools.echo import say\nimport coordinator\nsay(a=1)";
    expect((await run(code, { imports: { deny: ["subprocess", "socket"] } })).outcome).toEqual(ok({ a: 1 }));
    expect((await run("from mcp_tools.echo import say\nsay(a=1)", { imports: { allow: [] } })).outcome).toEqual(
      ok({ a: 1 }),
    );
    expect((await run("import json, math", { imports: { allow: ["json"] } })).outcome).toEqual(
      error({ message: 'The import of "math" is not allowed (coordinator.sandbox.imports)' }),
    );
  });
});

describe("where nothing can be polled", () => {
  const program = `
import runpy, sys
runpy.run_path(sys.argv[1])["load_package"]()
from coordinator_guest.channel import Channel
from coordinator_guest.serve import serve
serve(Channel(0, 1, can_poll=False))`;

  test.each([
    ["from mcp_tools.echo import say\nsay(a=1)", ok({ a: 1 })],
    ["import asyncio\nawait asyncio.sleep(0.01, 5)", ok(5)],
    [
      "import asyncio\nfrom mcp_tools.aio.echo import call\nr = await asyncio.gather(*(call('together', {'together': 9, 'i': i}) for i in range(9)))\n[x['i'] for x in r]",
      ok([0, 1, 2, 3, 4, 5, 6, 7, 8]),
    ],
    [
      "import asyncio\nfrom mcp_tools.aio.echo import call\nasync def main():\n  try: await asyncio.wait_for(call('together', {'together': 2}), 0.05)\n  except asyncio.TimeoutError: return await call('together', {'together': 2, 'a': 1})\nasyncio.run(main())",
      ok({ together: 2, a: 1 }),
    ],
    [
      "import asyncio\nfrom mcp_tools.aio.echo import say\nt = asyncio.create_task(say(a=1))\nwhile not t.done(): await asyncio.sleep(0)\nt.result()",
      ok({ a: 1 }),
    ],
    [
      "import asyncio\nfrom mcp_tools.aio.echo import call, say\nt = asyncio.create_task(call('together', {'together': 2}))\nfor i in range(100):\n  await asyncio.sleep(0.001)\n  await asyncio.wait_for(say(i=i), 30 - i * 0.2)\nawait call('together', {'together': 2})\nawait t",
      ok({ together: 2 }),
    ],
    [`raise RuntimeError("can't start new thread")`, error({ name: "RuntimeError" })],
  ])("%s", async (code, expected) => {
    expect((await runIn(await start(["-c", program, main]), code)).outcome).toEqual(expected);
  });
});
