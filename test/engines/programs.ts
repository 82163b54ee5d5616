// What the conformance suite runs, in both languages. TypeScript is given compiled, as the runtime hands it over.

import { pythonTexts } from "../../src/sandbox/python-literal.fixture.ts";

const hostFile = JSON.stringify(`${process.cwd()}/package.json`);

export interface Pair {
  readonly typescript?: string;
  readonly python?: string;
}

export const programs = {
  value: {
    typescript: "async () => ({ a: [1, 'x', null], when: new Date(0) })",
    python: `import datetime\n{"a": (1, "x", None), "when": datetime.datetime(1970, 1, 1)}`,
  },
  nothing: { typescript: "async () => undefined", python: "x = 1" },
  none: { typescript: "async () => undefined", python: "None" },
  cyclic: {
    typescript: "async () => { const a = { b: 1 }; a.a = a; return a }",
    python: `a = {"b": 1}\na["a"] = a\na`,
  },
  prints: {
    typescript: "async () => { console.log('out', { a: 1 }); console.error('err'); process.stdout.write('raw\\n'); }",
    python: `import sys\nprint("out", '{"a":1}')\nprint("err", file=sys.stderr)\nsys.stdout.write("raw\\n")\nNone`,
  },
  throws: {
    typescript: "async () => { throw new TypeError('broken') }",
    python: `def f():\n    raise TypeError("broken")\nf()`,
  },
  throwsOddly: {
    typescript: "async () => { throw null }",
    python: `class Odd(Exception):\n    def __str__(self):\n        raise ValueError("null")\nraise Odd()`,
  },
  unhandled: {
    typescript: "async () => { Promise.reject(new Error('nobody looked')); return 1 }",
  },
  missing: { typescript: "async (load) => load('mcp_tools/other')", python: "import mcp_tools.other" },
  call: {
    typescript: "async (load) => { const m = await load('mcp_tools/echo', ['say']); return m.say({ text: 'hi' }) }",
    python: `from mcp_tools.echo import say\nsay(text="hi")`,
  },
  renamed: { python: `from mcp_tools.echo import odd\nodd(from_="a", max_results=2)` },
  exact: {
    typescript: "async (load) => { const m = await load('mcp_tools/echo'); return m.call('say-it', { text: 'hi' }) }",
    python: `from mcp_tools import echo\necho.call("say-it", {"text": "hi"})`,
  },
  rest: {
    typescript: `async (load) => { const { call } = await load('mcp_tools/echo'); const { raw, rest_of } = await load('mcp_tools');
      const value = await call('rich'); return [value, rest_of(value), await raw(call, 'rich')] }`,
    python: `from mcp_tools import echo, raw, rest_of\nvalue = echo.call("rich")\n[value, rest_of(value), raw(echo.call, "rich")]`,
  },
  texts: {
    typescript: `async (load) => { const { call } = await load('mcp_tools/echo'); const { rest_of } = await load('mcp_tools');
      const read = (text) => call('text', { text }); const data = await read('{\\n  "a": ["é\\u2028漢"]\\n}');
      return [data, rest_of(data), await read(" [1]"), await read('[NaN, "é"]'), await read("{not json"), await read("\\ufeff[1]"), await read("[1]\\0"), await read('[1],"id":2')] }`,
    python: `from mcp_tools import echo, rest_of
def read(text): return echo.call("text", {"text": text})
data = read('{\\n  "a": ["é\\u2028漢"]\\n}')
[data, rest_of(data), read(" [1]"), read('[NaN, "é"]'), read("{not json"), read("\\ufeff[1]"), read("[1]\\0"), read('[1],"id":2')]`,
  },
  literals: {
    typescript: `async (load) => { const { call } = await load('mcp_tools/echo'); const { rest_of } = await load('mcp_tools');
      const values = []; for (const text of ${JSON.stringify(pythonTexts.map(([text]) => text))}) values.push(await call('text', { text }));
      return [values, rest_of(values[0])] }`,
    python: `from mcp_tools import echo, rest_of
values = [echo.call("text", {"text": text}) for text in ${JSON.stringify(pythonTexts.map(([text]) => text))}]
[values, rest_of(values[0])]`,
  },
  fails: {
    typescript: `async (load) => { const m = await load('mcp_tools/echo'); const { ToolError } = await load('mcp_tools');
      try { await m.call('fail') } catch (e) { return [e instanceof ToolError, e.server, e.tool, e.delivery, e.message] } }`,
    python: `from mcp_tools import ToolError, echo
try:
    echo.call("fail")
except ToolError as e:
    result = [True, e.server, e.tool, e.delivery, str(e)]
result`,
  },
  failsUncaught: {
    typescript: "async (load) => { const m = await load('mcp_tools/echo'); await m.call('fail') }",
    python: `from mcp_tools import echo\necho.call("fail")`,
  },
  parallel: {
    typescript:
      "async (load) => { const m = await load('mcp_tools/echo'); return (await Promise.all(Array.from({ length: 20 }, (_, i) => m.say({ i })))).length }",
    python: `import asyncio\nfrom mcp_tools.aio.echo import say\nlen(await asyncio.gather(*[say(i=i) for i in range(20)]))`,
  },
  parallelThreads: {
    python: `from concurrent.futures import ThreadPoolExecutor
from mcp_tools.echo import say
with ThreadPoolExecutor(8) as pool:
    answers = list(pool.map(lambda i: say(i=i)["i"], range(20)))
answers == list(range(20))`,
  },
  asyncRun: {
    python: `import asyncio
from mcp_tools.aio.echo import say
async def main():
    answer = await asyncio.wait_for(say(i=1), 5)
    await asyncio.sleep(0.01)
    return answer
asyncio.run(main())`,
  },
  timeoutBesideCall: {
    python: `import asyncio
from mcp_tools.aio.echo import say
async def ticks():
    for _ in range(3):
        await asyncio.sleep(0.002)
    return "ticked"
await asyncio.gather(say(i=1), ticks())`,
  },
  forgotten: {
    typescript: "async (load) => { const m = await load('mcp_tools/echo'); m.say({ i: 1 }); }",
    python: `import asyncio\nfrom mcp_tools.aio.echo import say\ntask = asyncio.ensure_future(say(i=1))\nawait asyncio.sleep(0)`,
  },
  tooManyCalls: {
    typescript:
      "async (load) => { const m = await load('mcp_tools/echo'); for (let i = 0; i < 101; i++) await m.say({ i }) }",
    python: `from mcp_tools.echo import say\nfor i in range(101):\n    say(i=i)`,
  },
  big: {
    typescript:
      "async (load) => { const m = await load('mcp_tools/echo'); const rows = await m.call('rows'); return [rows.length, rows.at(-1)] }",
    python: `from mcp_tools import echo\nrows = echo.call("rows")\n[len(rows), rows[-1]]`,
  },
  standard: {
    typescript: `async () => [new Intl.NumberFormat('en-US').format(1234.5), new URL('https://a.b/c?d=1').searchParams.get('d'),
      new TextDecoder().decode(new TextEncoder().encode('é')), crypto.randomUUID().length, await new Promise((r) => setTimeout(() => r('timer'), 5))]`,
    python: `import asyncio, base64, collections, contextlib, csv, dataclasses, datetime, decimal, enum, functools, hashlib, heapq, io, itertools, json
import math, pathlib, random, re, statistics, string, tempfile, textwrap, time, typing, urllib.parse, uuid, zlib

@dataclasses.dataclass
class Row:
    id: int
    tags: typing.List[str] = dataclasses.field(default_factory=list)

class Colour(enum.Enum):
    RED = 1

@contextlib.contextmanager
def opened(name):
    yield name.upper()

def numbers():
    yield from range(3)

def kind(value):
    match value:
        case {"type": str(name)}:
            return name
        case [first, *_]:
            return first
        case _:
            return None

@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

with opened("x") as upper:
    pass
pathlib.Path("note.txt").write_text("kept\\n")
await asyncio.sleep(0.001)
[
    f"{1234.5:,}",
    urllib.parse.parse_qs("d=1")["d"],
    [kind({"type": "a"}), kind([7, 8]), kind(1)],
    list(numbers()),
    upper,
    fib(30),
    statistics.median([3, 1, 2]),
    str(decimal.Decimal("0.1") + decimal.Decimal("0.2")),
    [row["a"] for row in csv.DictReader(io.StringIO("a,b\\n1,2\\n"))],
    collections.Counter("aab").most_common(1),
    list(itertools.accumulate([1, 2, 3])),
    dataclasses.asdict(Row(1, ["t"])),
    Colour.RED.name,
    re.sub(r"(\\w+)@", r"<\\1>@", "me@x"),
    hashlib.sha256(b"x").hexdigest()[:6],
    pathlib.Path("note.txt").read_text(),
    len(str(uuid.uuid4())),
]`,
  },
  node: {
    typescript: `async () => { const { createHash } = await import("node:crypto"); const { gzipSync, gunzipSync } = await import("node:zlib");
      const { Readable } = await import("node:stream"); let text = ""; for await (const part of Readable.from(["a", "b"])) text += part;
      return [createHash("sha256").update("x").digest("hex").slice(0, 6), gunzipSync(gzipSync("hi")).toString(), text] }`,
  },
  environment: {
    typescript: "async () => Object.keys(process.env)",
    python: "import os\nsorted(os.environ)",
  },
  network: {
    typescript: "async () => { try { await fetch('http://127.0.0.1:1/') } catch (e) { return 'refused' } }",
    python: `import socket\ntry:\n    socket.create_connection(("127.0.0.1", 1), 1)\n    r = "connected"\nexcept OSError:\n    r = "refused"\nr`,
  },
  unreachable: {
    typescript: `async () => { const said = []; for (const reach of [() => fetch("http://example.org/"), () => new WebSocket("ws://example.org/")])
      try { await reach() } catch (e) { said.push(e.message) } return said }`,
    python: `
import http.client, socket, urllib.request
def tried(reach):
    try:
        return repr(reach())
    except OSError as error:
        return str(error)
[
    tried(lambda: urllib.request.urlopen("http://example.org/")),
    tried(lambda: http.client.HTTPConnection("example.org").request("GET", "/")),
    tried(lambda: socket.create_connection(("192.0.2.1", 80), 1)),
    tried(lambda: socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80))),
    tried(lambda: socket.gethostbyname("example.org")),
]`,
  },
  files: {
    typescript: `async () => { const fs = await import('node:fs'); try { return fs.readFileSync(${hostFile}, 'utf8') } catch (e) { return 'refused' } }`,
    python: `try:\n    r = open(${hostFile}).read()\nexcept OSError:\n    r = "refused"\nr`,
  },
  spawns: {
    typescript:
      "async () => { const c = await import('node:child_process'); try { return c.execSync('id -u').toString() } catch (e) { return 'refused' } }",
    python: `import subprocess\ntry:\n    r = subprocess.run(["id", "-u"], capture_output=True, text=True).stdout\nexcept OSError:\n    r = "refused"\nr`,
  },
  spins: { typescript: "async () => { for (;;); }", python: "while True:\n    pass" },
  never: {
    typescript: "async () => new Promise(() => {})",
    python: "import asyncio\nawait asyncio.Event().wait()",
  },
  swallows: {
    python: "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
  },
  allocates: {
    typescript: "async () => { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())) }",
    python: "all = []\nwhile True:\n    all.append([object() for _ in range(10_000)])",
  },
  allocatesBuffers: {
    typescript: "async () => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)) }",
    python: "all = []\nwhile True:\n    all.append(bytearray(10_000_000))",
  },
  allocatesAtOnce: { python: "'x' * 10**9" },
  floods: {
    typescript: "async () => { for (;;) console.log('x'.repeat(1000)) }",
    python: "while True:\n    print('x' * 1000)",
  },
  floodsEmpty: {
    typescript: "async () => { for (;;) console.log('') }",
    python: "while True:\n    print('')",
  },
  hugeResult: { typescript: "async () => 'x'.repeat(20_000_000)", python: "'x' * 20_000_000" },
  printsMuch: {
    typescript: "async () => { console.log('x'.repeat(20_000_000) + 'end') }",
    python: "print('x' * 20_000_000 + 'end')",
  },
  printsManyLines: {
    typescript: `async () => {
      for (let n = 0; n < 20_000; n++) {
        console.log("line " + n);
        if (n % 1000 === 999) console.error("told " + n);
      }
      process.exit(0);
    }`,
    python: `import sys
for n in range(20_000):
    print(f"line {n}")
    if n % 1000 == 999:
        print(f"told {n}", file=sys.stderr)
sys.exit(0)`,
  },
  longList: {
    typescript: "async () => Array.from({ length: 200_000 }, (_, id) => ({ id, name: 'üser' }))",
    python: "[{'id': id, 'name': 'üser'} for id in range(200_000)]",
  },
  longListInside: {
    typescript: "async () => ({ rows: Array.from({ length: 200_000 }, (_, id) => ({ id })), total: 1 })",
    python: "{'rows': [{'id': id} for id in range(200_000)], 'total': 1}",
  },
  deepResult: {
    typescript: "async () => { let a = []; for (let i = 0; i < 2000; i++) a = [a]; return a }",
    python: "a = []\nfor _ in range(2000):\n    a = [a]\na",
  },
  manyFiles: { python: "files = [open(f'/tmp/f{i}', 'w') for i in range(5000)]" },
  bigFile: {
    python: `with open("/tmp/big", "wb") as file:\n    for _ in range(64):\n        file.write(b"x" * 1_000_000)\n        file.flush()`,
  },
  manyThreads: {
    python: `import threading, time
threads = [threading.Thread(target=time.sleep, args=(5,), daemon=True) for _ in range(500)]
for thread in threads:
    thread.start()`,
  },
  exits: {
    typescript: "async () => { console.log('bye'); process.exit(0) }",
    python: "import sys\nprint('bye')\nsys.exit(0)",
  },
  exitsBadly: { typescript: "async () => { process.exit(3) }", python: "import sys\nsys.exit(3)" },
  leaves: { typescript: "async () => { Deno.exit(3) }", python: "import os\nos._exit(0)" },
  defines: {
    typescript: "async () => { globalThis.count = 41; globalThis.inc = () => ++globalThis.count; }",
    python: "import json as j\ncount = 41\ndef inc():\n    global count\n    count += 1\n    return count",
  },
  uses: {
    typescript: "async () => [inc(), count]",
    python: "assert j.dumps([]) == '[]'\n[inc(), count]",
  },
  sees: {
    typescript: "async () => typeof count",
    python: "'number' if 'count' in globals() else 'undefined'",
  },
  callsLate: {
    typescript:
      "async (load) => { const m = await load('mcp_tools/echo'); setTimeout(() => m.say({ late: true }).catch(() => {}), 30); }",
    python: `import threading, time
from mcp_tools.echo import say
def late():
    time.sleep(0.03)
    say(late=True)
threading.Thread(target=late, daemon=True).start()`,
  },
} satisfies Record<string, Pair>;

export type ProgramName = keyof typeof programs;
