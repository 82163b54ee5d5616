import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type CallToolResult, Client, type ClientCapabilities } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

// The real gateway as a child process, and a real MCP client on its stdin and stdout.

export const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const { resolve } = createRequire(import.meta.url);

export const server = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url)), ...args],
});

export const official = (name: string, ...args: string[]) => ({
  command: process.execPath,
  args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

/** A folder with a configuration and room for the data. */
export function createHome(mcpServers: object, coordinator: object = {}): { config: string; home: string } {
  const home = mkdtempSync(join(tmpdir(), "gateway-"));
  const config = join(home, "mcp_servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers, coordinator }));
  return { config, home };
}

export interface Connected extends AsyncDisposable {
  readonly client: Client;
  readonly pid: number;
  call(name: string, args?: object): Promise<CallToolResult & { structuredContent: Record<string, unknown> }>;
}

export async function connect(
  { config, home }: { config: string; home: string },
  options: {
    modern?: boolean;
    args?: string[];
    capabilities?: ClientCapabilities;
    /** Where the file lies in the working folder, and is not named. */
    cwd?: string;
    prepare?(client: Client): void;
  } = {},
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [cli, "serve", ...(options.cwd === undefined ? ["--config", config] : []), ...(options.args ?? [])],
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(home, "data") },
  });
  const { capabilities = {} } = options;
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, ...(options.modern && { versionNegotiation: { mode: { pin: "2026-07-28" } } }) },
  );
  options.prepare?.(client);
  await client.connect(transport);
  return {
    client,
    pid: transport.pid as number,
    call: (name, args = {}) =>
      client.callTool({ name, arguments: args as Record<string, unknown> }) as ReturnType<Connected["call"]>,
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The gateway without a client: for killing it. */
export function spawnGateway({ config, home }: { config: string; home: string }, args: string[] = []): ChildProcess {
  return spawn(process.execPath, [cli, "serve", "--config", config, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(home, "data") },
  });
}

/** Sends requests on a gateway's stdin and gives back its answers by id. */
export function createWire(child: ChildProcess) {
  const answers = new Map<number, (message: unknown) => void>();
  let rest = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as { id?: number };
      if (message.id !== undefined) answers.get(message.id)?.(message);
    }
  });
  let lastId = 0;
  const send = (method: string, params: object): Promise<unknown> => {
    const id = ++lastId;
    child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return new Promise((done) => answers.set(id, done));
  };
  return {
    send,
    async initialize(protocolVersion = "2025-11-25"): Promise<void> {
      const clientInfo = { name: "wire", version: "1" };
      await send("initialize", { protocolVersion, capabilities: {}, clientInfo });
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    },
  };
}

/** Every process whose environment or command line carries the mark, or that descends from one that does. */
export function processesUnder(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      if (fields[0] !== "Z") parents.set(Number(name), Number(fields[1]));
    } catch {
      // it ended while we looked
    }
  }
  const found: number[] = [];
  const visit = (pid: number): void => {
    for (const [child, parent] of parents) {
      if (parent !== pid) continue;
      found.push(child);
      visit(child);
    }
  };
  visit(root);
  return found;
}

export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const [code] = (await once(child, "exit")) as [number | null];
  return code;
}
