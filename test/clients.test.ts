import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { node22, python } from "./foreign/program.ts";
import { cli, createHome, server } from "./gateway/connect.ts";
import { type HttpGateway, serveHttp } from "./gateway/http-gateway.ts";
import { inspect, inspectHttp } from "./gateway/inspector.ts";

// Clients that others wrote, each in a process of its own, in front of the real gateway.

const home = createHome({ data: server("data-server") });
const calls: [string, object][] = [
  ["search_tools", { query: "customers", limit: 1 }],
  ["execute_code", { code: 'import { customers } from "mcp_tools/data"; (await customers()).customers.length' }],
  ["execute_code", { language: "python", code: "from mcp_tools.data import customers\nlen(customers()['customers'])" }],
];

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await serveHttp(home);
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  rmSync(home.home, { recursive: true, force: true });
});

type Transport = "stdio" | "http";

interface Seen {
  readonly tools: string[];
  readonly results: unknown[];
  readonly version?: string;
}

function target(transport: Transport) {
  const env = { PATH: process.env["PATH"], MCP_COORDINATOR_HOME: join(home.home, "data") };
  return transport === "stdio"
    ? { stdio: { command: process.execPath, args: [cli, "serve", "--config", home.config], env } }
    : { http: { url: gateway.url, headers: { Authorization: `Bearer ${gateway.token}` } } };
}

/** What one of the programs in `foreign/clients` saw. */
function see(program: string, script: string, transport: Transport): Seen {
  const path = fileURLToPath(new URL(`foreign/clients/${script}`, import.meta.url));
  const input = JSON.stringify({ ...target(transport), calls });
  const { stdout, stderr, status } = spawnSync(program, [path, input], { encoding: "utf8", cwd: home.home });
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout);
}

/** What the Inspector saw: its command does one thing at a time. */
function seeByInspector(transport: Transport, era: string): Seen {
  const ask = (...args: string[]) => {
    const all = [...args, "--protocol-era", era];
    return transport === "stdio" ? inspect(home, ...all) : inspectHttp(gateway, ...all);
  };
  const { tools } = ask("--method", "tools/list") as { tools: { name: string }[] };
  const results = calls.map(([name, args]) =>
    ask("--method", "tools/call", "--tool-name", name, "--tool-args-json", JSON.stringify(args)),
  );
  return { tools: tools.map(({ name }) => name), results: results.map((result) => result.structuredContent) };
}

const modern = "2026-07-28";

describe.each<Transport>(["stdio", "http"])("over %s", (transport) => {
  test.each<[string, (transport: Transport) => Seen, { [transport in Transport]?: string }]>([
    // On stdio it gives the newer version little time, and takes the older one where the machine is busy.
    ["the AI SDK", (how) => see(node22, "ai-sdk.mjs", how), { http: modern }],
    ["Python's mcp", (how) => see(python, "python-sdk.py", how), { stdio: modern, http: modern }],
    ["mcporter", (how) => see(node22, "mcporter.mjs", how), {}],
    ["the Inspector", (how) => seeByInspector(how, how === "http" ? "modern" : "legacy"), {}],
  ])("%s lists, searches and runs code in both languages", { timeout: 150_000 }, (_name, look, versions) => {
    const { tools, results, version } = look(transport);
    expect(tools).toEqual(["search_tools", "execute_code"]);
    if (versions[transport]) expect(version).toBe(versions[transport]);
    expect(results).toMatchObject([
      { results: [{ kind: "tool", server: "data", name: "customers" }] },
      { status: "ok", result: expect.any(Number), calls: { total: 1, failed: 0 } },
      { status: "ok", result: expect.any(Number), calls: { total: 1, failed: 0 } },
    ]);
  });
});
