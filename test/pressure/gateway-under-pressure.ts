import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Moved, plantCanaries } from "../attacks/canaries.ts";
import { residentMb } from "../attacks/process-table.ts";
import { openHttpWire, openStdioWire, type Wire } from "./wire.ts";

export const transports = ["stdio", "http"] as const;
export type Transport = (typeof transports)[number];

export const toolsets = ["code", "discovery", "skills", "files", "environment", "registry", "runs"];

/** A real gateway with canaries around it, spoken to in raw messages, so that anything can be said. */
export interface GatewayUnderPressure extends AsyncDisposable {
  readonly transport: Transport;
  readonly wire: Wire;
  /** Of a second client, where the transport has such. */
  ping(): Promise<unknown>;
  /** How long its main thread has worked by now. */
  workMs(): number;
  memory(): Promise<Memory>;
  /** What was changed outside the gateway's own folders, or connected to, since it was opened. */
  moved(): Moved[];
  /** Ends it at once, where it answers no more. */
  kill(): Promise<void>;
}

/** What a gateway has when it has collected its garbage. */
export interface Memory {
  /** As the system sees it. Of what was freed, the C library keeps a part for the next time, newer Nodes more than older. */
  readonly residentMb: number;
  /** What is in use. */
  readonly heldMb: number;
}

export interface GatewayOptions {
  readonly transport: Transport;
  readonly mcpServers: object;
  /** A module that is loaded into the gateway: one that freezes it, to see that this is found. */
  readonly preload?: string;
}

/** Files with long names in the workspace: whoever looks for one that is like another reads them all. */
const crowd = Array.from({ length: 500 }, (_, index) => `${"long_name_".repeat(24)}${index}`);

export async function openGateway({ transport, mcpServers, preload }: GatewayOptions): Promise<GatewayUnderPressure> {
  const folder = mkdtempSync(join(tmpdir(), "pressure-"));
  const canaries = await plantCanaries(folder);
  const workspace = join(canaries.data, "workspace");
  mkdirSync(workspace);
  for (const name of crowd) writeFileSync(join(workspace, name), "");
  const index = `http://127.0.0.1:${canaries.targets.TCP4}`;
  const config = join(folder, "mcp_servers.json");
  // Blanks around a name are a package of that name: none may be installed.
  const coordinator = { registry: { url: index }, packages: { deny: ["*"] } };
  writeFileSync(config, JSON.stringify({ mcpServers, coordinator }));
  const child = spawn(process.execPath, argumentsOf(transport, config), {
    cwd: canaries.work,
    stdio: ["pipe", "pipe", "pipe"],
    env: {
      ...canaries.environment,
      PATH: process.env["PATH"] ?? "",
      HOME: canaries.home,
      MCP_COORDINATOR_HOME: canaries.data,
      // Should an installer ever start, it finds a canary for an index.
      PIP_INDEX_URL: index,
      UV_INDEX_URL: index,
      npm_config_registry: index,
      NODE_OPTIONS: ["test/attacks/watch-gateway.mjs", ...(preload === undefined ? [] : [preload])]
        .map((module) => `--import=${pathToFileURL(resolve(module))}`)
        .join(" "),
      ATTACKS_WATCH: canaries.targets.WATCH,
    },
  });
  const pid = child.pid as number;
  let said = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-2000);
  });
  const ended = once(child, "exit").then(() => {
    throw new Error(`the gateway has ended: ${said}`);
  });
  ended.catch(() => {});
  const { wire, ping } = await Promise.race([connectTo(child, transport, canaries.data), ended]);
  return {
    transport,
    wire,
    ping,
    workMs: () => workMs(pid),
    async memory() {
      const least = { residentMb: Number.POSITIVE_INFINITY, heldMb: Number.POSITIVE_INFINITY };
      for (let round = 0; round < 4; round++) {
        least.heldMb = Math.min(least.heldMb, await collectGarbage(canaries.targets.WATCH));
        await delay(150);
        least.residentMb = Math.min(least.residentMb, residentMb(pid));
      }
      return least;
    },
    moved: () => canaries.collect(""),
    kill: () => end(child, "SIGKILL"),
    async [Symbol.asyncDispose]() {
      wire.close();
      await end(child, "SIGTERM");
      await canaries[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function argumentsOf(transport: Transport, config: string): string[] {
  const http = transport === "http" ? ["--http", "--port", "0"] : [];
  return [resolve("dist/cli.js"), "serve", ...http, "--config", config, "--toolsets", toolsets.join()];
}

async function connectTo(child: ChildProcess, transport: Transport, data: string) {
  if (transport === "stdio") {
    const wire = await openStdioWire(child);
    return { wire, ping: () => wire.ask("ping") };
  }
  const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
  const [line] = (await once(lines, "line")) as [string];
  const url = /http:\S+\/mcp/.exec(line)?.[0];
  if (url === undefined) throw new Error(`the gateway does not start: ${line}`);
  const token = readFileSync(join(data, "http-token"), "utf8").trim();
  const [wire, second] = await Promise.all([openHttpWire(url, token), openHttpWire(url, token)]);
  const both: Wire = {
    ...wire,
    close() {
      wire.close();
      second.close();
    },
  };
  return { wire: both, ping: () => second.ask("ping") };
}

/** As Linux counts it; elsewhere all time is taken for work. */
function workMs(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  } catch {
    return performance.now();
  }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  // It has ten seconds; what still hangs then is not waited for.
  const isOver = await Promise.race([ended.then(() => true), delay(12_000, false)]);
  if (!isOver) {
    child.kill("SIGKILL");
    await ended;
  }
}

/** Gives what is held after it. */
async function collectGarbage(path: string): Promise<number> {
  const socket = connect(path, () => socket.write("collect"));
  socket.setTimeout(20_000, () => socket.destroy(new Error("the gateway does not answer the harness")));
  return Number(await text(socket));
}
