// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration are the subject
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Place } from "./cli/command.ts";
import { type Connected, connect, createHome, official, server } from "./gateway/connect.ts";

const servers = {
  data: server("data-server"),
  memory: official("memory"),
  linear: { url: "https://linear.example/mcp", headers: { Authorization: "Bearer ${NO_SUCH_TOKEN}" } },
};
const place = createHome(servers, { toolsets: ["code", "discovery"] });
let gateway: Connected;
beforeAll(async () => {
  gateway = await connect(place);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  rmSync(place.home, { recursive: true, force: true });
});

const textOf = async (name: string, args: object): Promise<string> => {
  const { content } = await gateway.call(name, args);
  return content.map((one) => ("text" in one ? one.text : "")).join("\n");
};
const run = (code: string, more: object = {}) => textOf("execute_code", { code, ...more });
const python = { language: "python" };

const excluded =
  'The server "memory" is configured, but this run was limited to servers: ["data"]. Add "memory" there, or leave servers out.';
const leftOut =
  'The server "linear" is left out: the environment variable NO_SUCH_TOKEN is not set. The user can change that: Set it where the coordinator is started, or write ${NO_SUCH_TOKEN:-default} (mcpServers.linear.headers.Authorization).';

test.each([
  ['import { read_graph } from "mcp_tools/memory";', {}],
  ["from mcp_tools.memory import read_graph", python],
  ["from mcp_tools import memory", python],
  ["import mcp_tools.aio.memory", python],
])("a server that the run was not given is said to be just that: %s", async (code, language) => {
  expect(await run(code, { ...language, servers: ["data"] })).toContain(excluded);
});

test.each([
  ['import * as linear from "mcp_tools/linear";', {}],
  ["from mcp_tools.linear import search", python],
])("a server without its variables says which, and what to do: %s", async (code, language) => {
  expect(await run(code, language)).toContain(leftOut);
});

test("a program that is prepared for it goes on without the server", async () => {
  const code = "try:\n    from mcp_tools import linear\nexcept ImportError:\n    linear = None\nlinear is None";
  expect(await run(code, python)).toBe("true");
});

test("the others work; searches, lists and calls name the one that is left out", async () => {
  expect(await run('import { read_graph } from "mcp_tools/memory"; await read_graph({})')).toContain("entities");
  const why = 'The server "linear" is left out: the environment variable NO_SUCH_TOKEN is not set';
  expect(await textOf("search_tools", { server: "linear" })).toContain(why);
  expect(await textOf("call_tool", { server_name: "linear", tool_name: "x" })).toContain(why);
  expect(await textOf("search_tools", {})).toContain("linear: the environment variable NO_SUCH_TOKEN is not set");
  const [, memory, linear] = (await textOf("list_servers", {})).split("\n");
  expect(memory).toMatch(/^memory \(stdio, \w+, 9 tools\)/);
  expect(linear).toContain("linear (http, left out): the environment variable NO_SUCH_TOKEN is not set. Set it where");
});

test("on the command line: servers and doctor name it and the fix, and the log of the gateway does", async () => {
  using folder = new Place(servers);
  const listed = await folder.run("servers");
  expect(listed.stdout).toMatch(/^linear +http +left out/m);
  expect(listed.stderr).toContain("linear: the environment variable NO_SUCH_TOKEN is not set. Set it where");
  const { stdout } = await folder.run("doctor");
  expect(stdout).toContain("warn  config linear: is left out: the environment variable NO_SUCH_TOKEN is not set");
  expect(stdout).toContain("fix: Set it where the coordinator is started, or write ${NO_SUCH_TOKEN:-default}");
  const child = folder.start(["serve"]);
  const told = await new Promise<string>((resolve) => child.stderr.once("data", (chunk) => resolve(String(chunk))));
  child.stdin.end();
  expect(told).toContain('The server "linear" is left out: the environment variable NO_SUCH_TOKEN is not set. Set it');
});
