// The product over HTTP, on a free port, and clients of the official SDK for it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const ownFile = (name) => fileURLToPath(new URL(name, import.meta.url));
const cli = ownFile("../dist/cli.js");

/** `dist/cli.js serve --http` on what `install` of gateway.mjs has made. */
export async function serveHttp({ config, env }) {
  const served = await start([cli, "serve", "--http", "--port", "0", "--config", config], env);
  const token = (await readFile(join(env.MCP_COORDINATOR_HOME, "http-token"), "utf8")).trim();
  return { ...served, token };
}

/** The floor: a server of the official SDK that does nothing, over HTTP. */
export function serveEmpty() {
  return start([ownFile("empty-http-server.mjs")], {});
}

/** The echo server, over HTTP. */
export function serveEcho() {
  return start([ownFile("echo-http-server.mjs")], {});
}

async function start(args, env) {
  const child = spawn(process.execPath, args, { env: { ...process.env, ...env }, stdio: ["ignore", "ignore", "pipe"] });
  const [line] = await once(createInterface({ input: child.stderr }), "line");
  const url = /http:\S+\/mcp/.exec(line)?.[0];
  if (url === undefined) throw new Error(line);
  child.stderr.resume();
  return {
    url,
    pid: child.pid,
    async close() {
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

/** Connects a client; `modern` for one of 2026-07-28. */
export async function connectHttp({ url, token }, { modern = false } = {}) {
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: token === undefined ? {} : { authorization: `Bearer ${token}` } },
  });
  const client = new Client(
    { name: "mcp-coordinator-bench", version: "1.0.0" },
    modern ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  await client.connect(transport);
  return {
    listTools: () => client.listTools(),
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }, { timeout: 300_000 }),
    async close() {
      await transport.terminateSession();
      await client.close();
    },
  };
}
