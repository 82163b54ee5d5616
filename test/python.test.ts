import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import type { RunResult } from "../src/runtime/results/run-result.ts";
import { Place } from "./cli/command.ts";
import { openCoordinator, ownServer } from "./open-coordinator.ts";

// Python guests through the whole of it: check, sandbox, real servers, and back.

const fleet = {
  data: { ...ownServer("data-server"), tools: { deny: ["delete_*"] } },
  "faulty-one": ownServer("faulty-server"),
};

const open = (sandbox: object = {}, home = "home"): Promise<Coordinator> =>
  openCoordinator({ mcpServers: fleet, coordinator: { sandbox }, home });

let coordinator: Coordinator;
const run = (
  code: string,
  options: { session?: string; timeoutSeconds?: number; check?: boolean } = {},
): Promise<RunResult> => coordinator.execute({ language: "python", code, ...options });

beforeAll(async () => {
  coordinator = await open();
});

describe("a run", () => {
  test("filters, joins and prints five rows of a 5 MB result", async () => {
    const { status, result, stdout, calls, error } = await run(`
from mcp_tools.data import orders, customers
names = {c["id"]: c["name"] for c in customers()["customers"]}
rows = orders()
big = sorted((o for o in rows if o["amount"] > 900), key=lambda o: (-o["amount"], o["id"]))
for o in big[:5]:
    print(names[o["customer"]], o["amount"])
len(rows)`);
    expect({ status, result, calls, error }).toEqual({
      status: "ok",
      result: 10_000,
      calls: { total: 2, failed: 0 },
      error: undefined,
    });
    expect(stdout?.split("\n").filter(Boolean)).toHaveLength(5);
  });

  test("gathers calls in parallel", async () => {
    const started = performance.now();
    const { status, result } = await run(`
import asyncio
from mcp_tools.aio.data import slow
answers = await asyncio.gather(*[slow(ms=300) for _ in range(20)])
len(answers)`);
    expect([status, result]).toEqual(["ok", 20]);
    expect(performance.now() - started).toBeLessThan(20 * 300);
  });

  test("lists servers and tools, and searches", async () => {
    const { result } = await run(`
from mcp_tools import list_servers, search
from mcp_tools.data import list_tools
[[s["name"] for s in list_servers()], [t["name"] for t in list_tools()], search("orders", limit=1)[0]["name"]]`);
    expect(result).toEqual([
      ["data", "faulty-one"],
      expect.arrayContaining(["orders", "customers", "slow", "picture"]),
      "orders",
    ]);
  });

  test("raises ToolError with its delivery, and a denied tool does not run", async () => {
    const code = `
from mcp_tools import ToolError, data
try:
    data.call("delete_everything")
except ToolError as e:
    r = [e.server, e.tool, e.delivery, str(e)]
r`;
    expect(await run(code)).toMatchObject({ status: "check_failed" });
    const { status, result } = await run(code, { check: false });
    expect(status).toBe("ok");
    expect(result).toEqual(["data", "delete_everything", "not_sent", expect.stringContaining("does not allow")]);
  });

  test("names the guest's line when it fails, and says what was called", async () => {
    const { status, error } = await run(`from mcp_tools.data import customers
people = customers()["customers"]
def first(items):
    return items[1000]
first(people)`);
    expect(status).toBe("error");
    expect(error).toMatchObject({ name: "IndexError", message: "list index out of range", line: 4 });
    expect(error?.stack).toBe("line 4 in first\nline 5");
  });

  test.each([
    ["python", "from mcp_tools.data import orders\norders(limitt=1)", /\norders\(/],
    ["python", "from mcp_tools.data import nothing_like_it", /The tools of data:\n.*orders\(/s],
    ["typescript", 'import { orders } from "mcp_tools/data";\norders({ limitt: 1 });', /\norders\(args/],
  ] as const)("a mistake that is made again is told with all that could help: %s, %j", async (language, code, more) => {
    const first = await coordinator.execute({ code, language });
    expect(first.error?.hint).toBeUndefined();
    await coordinator.execute({ code: "1", language });
    const again = await coordinator.execute({ code: `\n${code}`, language });
    expect(again.error?.hint).toMatch(/^The same as in an earlier run\./);
    expect(again.error?.hint).toMatch(more);
    const other = await coordinator.execute({ code: `${code}\nnothing_more`, language });
    expect(other.error?.hint).toBeUndefined();
  });

  test.each([
    ["python", "orders()", "Is 'from mcp_tools.data import orders' missing?"],
    ["typescript", "orders()", `Is 'import { orders } from "mcp_tools/data"' missing?`],
  ] as const)("a tool that was not imported is told with its import: %s", async (language, code, next) => {
    expect((await coordinator.execute({ code, language })).error?.message).toContain(next);
  });

  test("strips fences, and tells Python sent without its language", async () => {
    expect(await run("```python\n1 + 1\n```")).toMatchObject({ status: "ok", result: 2 });
    const { status, error } = await coordinator.execute({
      code: "from mcp_tools.data import orders\nfor o in orders():\n    print(o)",
    });
    expect(status).toBe("check_failed");
    expect(error?.hint).toBe('This looks like Python: pass language: "python".');
  });

  test.each([
    ["x = [i for i in range(3)]", "typescript", "python"],
    ["import nunpy as np", "typescript", "python"],
    ["# first\nprint('x')", "typescript", "python"],
    ["total = sum([1, 2])\nprint(total)", "typescript", "python"],
    ["def f():\n    return 1\nf()", undefined, "python"],
    ["const x = 1;\nconsole.log(x);", "python", "typescript"],
    ["console.log('x')", "python", "typescript"],
    ["[1, 2].map((x) => x * 2)", "python", "typescript"],
  ] as const)("tells code in the other language: %j as %s", async (code, language, other) => {
    const { status, error } = await coordinator.execute({ code, language });
    expect(status).toBe("check_failed");
    expect(error?.hint).toContain(`pass language: "${other}"`);
  });

  test.each([
    ["const x = {", "typescript"],
    ["total = 5\ntotal", "typescript"],
    ["foo(1)", "typescript"],
    ["x = {", "python"],
    ["x = null", "python"],
  ] as const)("does not take %j, wrong in both or at home in %s, for the other language", async (code, language) => {
    const { status, error } = await coordinator.execute({ code, language });
    expect(status).toBe("check_failed");
    expect(error?.hint).toBeUndefined();
  });
});

describe("the check, before anything runs,", () => {
  test.each<[string, string, RegExp]>([
    ["an unknown tool", "from mcp_tools.data import order", /line 1.*orders/s],
    ["an unknown server", "from mcp_tools.dat import orders", /line 1.*mcp_tools\.data/s],
    ["a missing argument", "from mcp_tools.data import slow\nslow()", /line 2.*ms/s],
    ["an unknown argument", "from mcp_tools.data import slow\nslow(msec=1)", /line 2.*ms/s],
    ["a wrongly typed argument", 'from mcp_tools.data import slow\nslow(ms="long")', /line 2.*int/s],
    ["an unknown name", "print(1)\nprnt(2)", /line 2.*prnt/s],
    ["broken syntax", "x = (1,\nprint(x", /line \d/],
    ["an unknown module", "import no_such_module", /line 1.*no_such_module/s],
  ])("names %s", async (_name, code, problem) => {
    const { status, error, stdout, calls } = await run(code);
    expect({ status, stdout, calls }).toEqual({
      status: "check_failed",
      stdout: undefined,
      calls: { total: 0, failed: 0 },
    });
    expect(error?.message).toMatch(problem);
  });
});

describe("what the predecessors did wrong", () => {
  test("a tool result of 100 KB, and of one line, arrives", async () => {
    const { result } = await run(`from mcp_tools.data import orders\nlen(str(orders(count=230)))`);
    expect(result).toBeGreaterThan(100_000);
  });

  test("an exception is a failure", async () => {
    expect(await run("raise ValueError('x')")).toMatchObject({ status: "error", error: { name: "ValueError" } });
  });

  test("text on stderr is not a failure, and stdout stays", async () => {
    expect(
      await run("import sys, warnings\nprint('out')\nprint('err', file=sys.stderr)\nwarnings.warn('careful')\n1"),
    ).toMatchObject({
      status: "ok",
      stdout: "out\n",
      stderr: expect.stringMatching(/^err\n.*careful/s),
      result: 1,
    });
  });

  test("more than 1 MiB of output is cut, not lost", async () => {
    const { status, truncated } = await run("print('x' * 2_000_000)");
    expect(status).toBe("ok");
    expect(truncated).toMatchObject([{ of: "stdout", total: 2_000_001 }]);
  });

  test("sys.exit of one guest does not end another's run", async () => {
    const slow = run("from mcp_tools.data import slow\nslow(ms=400)");
    expect(await run("import sys\nsys.exit(1)")).toMatchObject({ status: "error" });
    expect(await run("import os\nos._exit(0)")).toMatchObject({ status: "error", error: { code: "sandbox_failed" } });
    expect(await slow).toMatchObject({ status: "ok", result: "done" });
  });

  test("limits are applied, each with its name and setting", async () => {
    await using small = await open(
      { limits: { memoryMb: 96, toolCalls: 2, cpuSeconds: 1, openFiles: 64, processes: 8 } },
      "small",
    );
    const limitOf = async (code: string) =>
      (await small.execute({ language: "python", code, timeoutSeconds: 20 })).error;
    const setting = (name: string) => `coordinator.sandbox.limits.${name}`;
    expect(await limitOf("x = 'x' * 10**9")).toMatchObject({ limit: "memory", setting: setting("memoryMb") });
    expect(await limitOf("while True: pass")).toMatchObject({ limit: "cpu", setting: setting("cpuSeconds") });
    expect(await limitOf("from mcp_tools.data import slow\nfor _ in range(3): slow(ms=1)")).toMatchObject({
      limit: "tool_calls",
      setting: setting("toolCalls"),
    });
    expect(await limitOf("files = [open(f'/tmp/{i}', 'w') for i in range(100)]")).toMatchObject({
      limit: "open_files",
      setting: setting("openFiles"),
    });
    expect(await limitOf("open('/tmp/big', 'wb').write(b'x' * 20_000_000)")).toMatchObject({
      limit: "scratch",
      setting: setting("scratchMb"),
    });
    expect(
      await limitOf(
        "import threading, time\nfor _ in range(50): threading.Thread(target=time.sleep, args=(3,), daemon=True).start()",
      ),
    ).toMatchObject({
      limit: "processes",
      setting: setting("processes"),
    });
  });
});

test("urllib.request asks the coordinator, once a host is open", async () => {
  await using networked = await open({ network: { allow: ["api.example.org"] } }, "networked");
  const { error } = await networked.execute({
    language: "python",
    code: 'import urllib.request\nurllib.request.urlopen("https://other.example.org/")',
  });
  expect(error?.message).toBe(
    "<urlopen error Guests may not reach other.example.org. Hosts that are open to them: api.example.org (coordinator.sandbox.network.allow).>",
  );
});

describe("imports", () => {
  test("are refused by the check and, where that does not see them, when the code runs", async () => {
    await using strict = await open({ imports: { allow: ["*"], deny: ["subprocess", "os"] } }, "imports");
    const execute = (code: string, check = true) => strict.execute({ language: "python", code, check });
    expect(await execute("import os.path")).toMatchObject({
      status: "check_failed",
      error: { message: expect.stringContaining('"os.path" is not allowed') },
    });
    expect(await execute("__import__('o' + 's')", false)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining('"os" is not allowed') },
    });
    expect(await execute("import json, asyncio, pathlib, tempfile\njson.dumps(1)")).toMatchObject({
      status: "ok",
      result: "1",
    });
    expect(await execute("from mcp_tools.data import customers\nlen(customers()['customers'])")).toMatchObject({
      result: 100,
    });
  });

  test("the same for TypeScript", async () => {
    await using strict = await open({ imports: { allow: ["node:crypto"], deny: [] } }, "imports-ts");
    const execute = (code: string, check = true) => strict.execute({ code, check });
    expect(await execute('import { readFileSync } from "node:fs"; readFileSync')).toMatchObject({
      status: "check_failed",
    });
    expect(await execute('const name = "node:" + "fs"; await import(name)', false)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining('"node:fs" is not allowed') },
    });
    expect(
      await execute('import { createHash } from "node:crypto"; createHash("md5").update("").digest("hex").length'),
    ).toMatchObject({ result: 32 });
  });
});

describe("without bubblewrap on the command path", () => {
  const place = new Place(fleet);
  const bin = join(place.folder, "bin");

  beforeAll(async () => {
    const { mkdirSync } = await import("node:fs");
    mkdirSync(bin);
    for (const name of ["prlimit", "python3", "ldd", "sh"]) symlinkSync(`/usr/bin/${name}`, join(bin, name));
  });
  afterAll(() => place[Symbol.dispose]());

  const execute = async (...words: string[]) => {
    const { spawnSync } = await import("node:child_process");
    const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
    const env = { PATH: bin, HOME: place.folder, MCP_COORDINATOR_HOME: join(place.folder, "home") };
    return spawnSync(process.execPath, [cli, ...words], { cwd: place.folder, env, encoding: "utf8", timeout: 60_000 });
  };

  test("cpython refuses with the fix", async () => {
    place.write("x.py", "1 + 1");
    const { status, stdout, stderr } = await execute("run", "x.py", "--engine", "cpython");
    expect([status, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("bubblewrap");
    expect(stderr).toContain("apt-get install");
  });

  test("auto takes pyodide and says so", async () => {
    place.write("y.py", "import sys\nsys.platform");
    const { status, stdout, stderr } = await execute("run", "y.py");
    expect([status, stdout]).toEqual([0, "emscripten\n"]);
    expect(stderr).toMatch(/python runs on pyodide: .*bubblewrap/);
    const doctor = await execute("doctor");
    expect(doctor.stdout).toMatch(/warn\s+engine pyodide: .*\n\s+fix: .*bubblewrap/);
  });
});
