import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";

// A generated mcp_tools/ in a Python program of the user's own: real Python, a real coordinator, real servers.

// Every program starts Python, the command and a server; on a busy machine each waits its turn.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const command = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const server = (name: string) => fileURLToPath(new URL(`servers/${name}`, import.meta.url));
const node = (...args: string[]) => ({ command: process.execPath, args });
const folder = mkdtempSync(join(tmpdir(), "python-libraries-"));

/** A server with one tool, whose parameters are not names of Python, and which answers with its arguments. */
const mirror = `import { createInterface } from "node:readline";
const properties = { from: { type: "string" }, "max-age": { type: "integer" }, value: {} };
const methods = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "mirror", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "show-all", inputSchema: { type: "object", properties } }] }),
  "tools/call": ({ arguments: args }) => ("value" in args ? { structuredContent: args.value, content: [] } : { content: [{ type: "text", text: JSON.stringify(args) }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params) }) + "\\n");
});
`;

const env = {
  PATH: [dirname(process.execPath), process.env["PATH"]].join(delimiter),
  HOME: process.env["HOME"],
  MCP_COORDINATOR_HOME: join(folder, "home"),
  MCP_COORDINATOR_COMMAND: `"${process.execPath}" "${command}"`,
};

beforeAll(async () => {
  writeFileSync(join(folder, "mirror.mjs"), mirror);
  const mcpServers = {
    data: { ...node(server("data-server.mjs")), tools: { deny: ["delete_*"] } },
    faulty: node(server("faulty-server.mjs")),
    content: node(server("content-server.mjs")),
    "my-mirror": node(join(folder, "mirror.mjs")),
  };
  writeFileSync(join(folder, "mcp_servers.json"), JSON.stringify({ mcpServers }));
  const config = join(folder, "mcp_servers.json");
  await using coordinator = await Coordinator.open({ config, env });
  await coordinator.generateTools({ out: join(folder, "mcp_tools") });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(program: string, options: { env?: object } = {}) {
  writeFileSync(join(folder, "program.py"), program);
  const child = spawn("python3", ["program.py"], { cwd: folder, env: { ...env, ...options.env } });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: await code };
}

/** What the program assigned to \`result\`, as data. */
async function resultOf(program: string): Promise<unknown> {
  const { stdout, stderr, code } = await run(`${program}\nimport json\nprint(json.dumps(result))`);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout);
}

/** Whether a process is there and not merely waiting to be counted out. */
function lives(pid: number): boolean {
  const found = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
  return found !== "" && !found.startsWith("Z");
}

describe("a Python program with a generated mcp_tools/", () => {
  test("calls tools as functions and gets plain data", async () => {
    expect(
      await resultOf(`
from mcp_tools.data import orders, customers, picture, slow
from mcp_tools import data
result = [orders(count=2)[1]["id"], len(orders()), customers()["customers"][0]["name"], picture()["mimeType"], slow(ms=1),
          data.call("orders", {"count": 3})[2]["id"], [tool["name"] for tool in data.list_tools()]]
`),
    ).toEqual([1, 10_000, "Customer 0", "image/png", "done", 2, ["orders", "customers", "slow", "picture"]]);
  });

  test("passes arguments whose names are keywords or no names at all", async () => {
    expect(
      await resultOf(`
from mcp_tools.my_mirror import show_all, call
result = [show_all(from_="x", max_age=3), show_all(**{"max-age": 4}), call("show-all", {"from": "y"})]
`),
    ).toEqual([{ from: "x", "max-age": 3 }, { "max-age": 4 }, { from: "y" }]);
  });

  test("gets every value as it is, an object with the key result among them", async () => {
    const values = [
      null,
      1.5,
      "text",
      "[1",
      [1, [2]],
      {},
      { result: 1 },
      { result: '{"result":1}' },
      "\ud83d\ude00\u2028",
    ];
    expect(
      await resultOf(`
import json
from mcp_tools import call
from mcp_tools.my_mirror import show_all
values = json.loads(${JSON.stringify(JSON.stringify(values))})
result = [show_all(value=value) for value in values]
`),
    ).toEqual(values);
  });

  test("the rest of a result, whole results, and what was sent with an error", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const results = [
      { content: [image], structuredContent: { result: 5 }, _meta: { "example.org/cost": 3 } },
      { content: [image, { type: "text", text: "words" }], structuredContent: [1] },
      { content: [{ type: "text", text: '{"a":1}' }] },
      { isError: true, content: [{ type: "text", text: "no" }, image], structuredContent: { free: 3 } },
    ];
    const { stdout, stderr } = await run(`
import asyncio, json
from mcp_tools import ToolError, aio, content, raw, rest_of
from mcp_tools.aio.content import give as give_later
results = [json.dumps(result) for result in json.loads(${JSON.stringify(JSON.stringify(results))})]
values = [content.give(json=text) for text in results[:3]]
print(json.dumps([values, [rest_of(value) for value in values]]))
wholes = [raw(content.give, json=text) for text in results[:3]]
later = asyncio.run(aio.raw(give_later, json=results[0]))
print(json.dumps([wholes, later == wholes[0] == raw(content.call, "give", {"json": results[0]})]))
try:
    content.give(json=results[3])
except ToolError as error:
    print(json.dumps([error.message, error.result]))
`);
    expect(stderr).toBe("");
    const [values, wholes, error] = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(values).toEqual([
      [{ result: 5 }, [1], { a: 1 }],
      [
        { content: [image], _meta: { "example.org/cost": 3 } },
        { content: [image, { type: "text", text: "words" }] },
        { content: [{ type: "text", text: '{"a":1}' }] },
      ],
    ]);
    expect(wholes).toEqual([results.slice(0, 3), true]);
    expect(error).toEqual(["no", results[3]]);
  });

  test("runs calls in parallel, from coroutines and from threads", async () => {
    expect(
      await resultOf(`
import asyncio, time
from concurrent.futures import ThreadPoolExecutor
from mcp_tools.aio import data, list_servers
from mcp_tools.data import slow

slow(ms=1)
async def main():
    return await asyncio.gather(*(data.slow(ms=1000) for _ in range(10)), list_servers())
before = time.monotonic()
answers = asyncio.run(main())
between = time.monotonic()
with ThreadPoolExecutor(10) as pool:
    more = list(pool.map(lambda _: slow(ms=1000), range(10)))
result = [answers[:-1], [server["name"] for server in answers[-1]], more, between - before < 5, time.monotonic() - between < 5]
`),
    ).toEqual([Array(10).fill("done"), ["data", "faulty", "content", "my-mirror"], Array(10).fill("done"), true, true]);
  });

  test("learns from a ToolError what failed and whether it may have acted", async () => {
    expect(
      await resultOf(`
import asyncio
from mcp_tools import ToolError, call, faulty
from mcp_tools.aio import faulty as twin

def failure(work):
    try:
        return work()
    except ToolError as error:
        return [error.server, error.tool, error.delivery, error.code, error.message == str(error)]

result = [failure(lambda: faulty.fail()), failure(lambda: asyncio.run(twin.fail())), failure(lambda: faulty.crash()),
          failure(lambda: call("data", "delete_everything")), failure(lambda: call("nowhere", "x")), faulty.echo(still="here")]
`),
    ).toEqual([
      ["faulty", "fail", "failed", "call_failed", true],
      ["faulty", "fail", "failed", "call_failed", true],
      ["faulty", "crash", "unknown", "server_closed", true],
      ["data", "delete_everything", "not_sent", "tool_denied", true],
      ["nowhere", "x", "not_sent", "server_unknown", true],
      { still: "here" },
    ]);
  });

  test("searches, and finds what to import", async () => {
    const found = {
      server: "data",
      name: "orders",
      import: "from mcp_tools.data import orders",
      signature: expect.stringMatching(
        /^orders\(\*, count: int = \.\.\.\) -> (?:Any$|.*\n[\s\S]*observed in \d+ results?)/,
      ),
      description: "All orders",
    };
    expect(await resultOf('from mcp_tools import search\nresult = search("all orders", limit=1)')).toEqual([found]);
  });

  test("gives up a call without losing the next, and starts the coordinator again when it has gone", async () => {
    expect(
      await resultOf(`
import asyncio
from mcp_tools import _coordinator, data
from mcp_tools.aio import data as twin

async def main():
    try:
        await asyncio.wait_for(twin.slow(ms=60000), 0.2)
    except asyncio.TimeoutError:
        return await twin.slow(ms=1)
result = [asyncio.run(main())]
first = _coordinator._connection._process
first.kill()
first.wait()
result += [data.slow(ms=1), _coordinator._connection._process.pid != first.pid]
`),
    ).toEqual(["done", "done", true]);
  });

  test("leaves no process behind", async () => {
    const pids = (await resultOf(`
import os, subprocess
from mcp_tools import _coordinator, data
data.slow(ms=1)
child = _coordinator._connection._process.pid
below = subprocess.run(["pgrep", "-P", str(child)], capture_output=True, text=True).stdout.split()
result = [child, *map(int, below)]
`)) as number[];
    expect(pids.length).toBeGreaterThan(1);
    await vi.waitFor(() => expect(pids.filter(lives)).toEqual([]), 10_000);
  });

  test("says what to do when there is no coordinator, and why it does not start", async () => {
    const nowhere = await run("from mcp_tools import data\ndata.orders()", {
      env: { MCP_COORDINATOR_COMMAND: "", PATH: "/usr/bin:/bin" },
    });
    expect(nowhere.stderr).toMatch(
      /FileNotFoundError: mcp-coordinator is not installed\. Run `npm install mcp-coordinator`/,
    );
    const broken = await run('import mcp_tools\nmcp_tools._coordinator.config = "gone.json"\nmcp_tools.list_servers()');
    expect(broken.stderr).toMatch(/RuntimeError: Cannot start mcp-coordinator: error config_not_found: /);
  });
});

test("generating again minds what Python compiled as little as it spares what is no longer wanted", async () => {
  const config = join(folder, "mcp_servers.json");
  const out = join(folder, "mcp_tools");
  await using coordinator = await Coordinator.open({ config, env });
  await coordinator.generateTools({ out });
  writeFileSync(join(out, "aio", "mine.py"), "# mine\n");
  await expect(coordinator.generateTools({ out })).rejects.toMatchObject({
    code: "output_exists",
    message: expect.stringContaining("aio/mine.py"),
  });
  rmSync(join(out, "aio", "mine.py"));
  await coordinator.run("generate_libraries", { out, language: "typescript" });
  expect((await run("import mcp_tools.data")).stderr).toContain("ModuleNotFoundError");
});
