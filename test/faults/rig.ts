import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type Connected, connect, createHome, isAlive, processesUnder, server } from "../gateway/connect.ts";

const program = fileURLToPath(new URL("faulty.mjs", import.meta.url));

/** A faulty server, as it stands in a configuration. */
export const faultyEntry = (...options: string[]) => ({ command: process.execPath, args: [program, ...options] });

/** The end of a call as its caller sees it. */
interface Outcome {
  readonly text?: string;
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly delivery?: string;
    readonly retryAfterMs?: number;
    readonly hint?: string;
  };
  readonly milliseconds: number;
}

/** What was asked for and what came of it: the history that the checker reads. */
interface Entry {
  readonly call: string;
  readonly server: string;
  outcome?: "ok" | "failed" | "unknown" | "not_sent";
}

export interface Rig extends AsyncDisposable {
  readonly gateway: Connected;
  readonly home: string;
  /** One call of the tool "work" of a faulty server. */
  work(server: string, does: string, args?: object): Promise<Outcome>;
  /** Runs guest code. */
  run(code: string, more?: object): Promise<Record<string, unknown>>;
  state(server: string): Promise<string>;
  /** Makes every call of the server do this, whatever it asks for; nothing: as it asks. */
  script(server: string, does: string): void;
  /** How often the server was called, and "cancelled" for each notice of that. */
  log(server: string): string[];
  /** The gateway is alive and a server that is well still answers. */
  checkWell(): Promise<void>;
}

/** How a faulty server stands in the configuration: its options, and settings of its entry. */
export type Faulty = {
  readonly options?: readonly string[];
  readonly url?: string;
  /** Where a server that is not started here logs its calls. */
  readonly log?: string;
} & Record<string, unknown>;

/**
 * A real gateway with a real client, one well server and faulty ones. At its end no process is left and no call has
 * reached a server more than once, or though it was told as not sent.
 */
export async function startRig(servers: Record<string, Faulty>, coordinator: object = {}): Promise<Rig> {
  const { home } = createHome({});
  const config = join(home, "mcp_servers.json");
  const file = (name: string, kind: string) => join(home, `${name}.${kind}`);
  const logs = new Map<string, string>();
  const entries = Object.entries(servers).map(([name, { options = [], url, log, ...settings }]) => {
    if (log !== undefined) logs.set(name, log);
    if (url !== undefined) return [name, { url, ...settings }];
    const files = [`log=${file(name, "log")}`, `script=${file(name, "script")}`];
    return [name, { ...faultyEntry(...files, ...options), ...settings }];
  });
  const mcpServers = { ...Object.fromEntries(entries), well: server("data-server") };
  writeFileSync(config, JSON.stringify({ mcpServers, coordinator }));
  const gateway = await connect({ config, home }, { args: ["--toolsets", "code,discovery"] });
  const history: Entry[] = [];
  const seen = new Set<number>();
  const watch = setInterval(() => processesUnder(gateway.pid).forEach((pid) => void seen.add(pid)), 200);

  const rig: Rig = {
    gateway,
    home,
    async work(name, does, args = {}) {
      const entry: Entry = { call: `${name}-${history.length}`, server: name };
      history.push(entry);
      const began = performance.now();
      const { structuredContent, isError } = await gateway.call("call_tool", {
        server_name: name,
        tool_name: "work",
        arguments: { do: does, call: entry.call, ...args },
      });
      const milliseconds = performance.now() - began;
      const { error, result } = structuredContent as { error?: Outcome["error"]; result?: unknown };
      entry.outcome = isError ? ((error?.delivery as Entry["outcome"]) ?? "unknown") : "ok";
      return { milliseconds, ...(isError ? { error } : { text: String(result) }) } as Outcome;
    },
    run: async (code, more = {}) => (await gateway.call("execute_code", { code, ...more })).structuredContent,
    async state(name) {
      const { structuredContent } = await gateway.call("list_servers");
      const rows = structuredContent["result"] as { name: string; state: string }[];
      return rows.find((row) => row.name === name)?.state ?? "unknown";
    },
    script: (name, does) => writeFileSync(file(name, "script"), does),
    log(name) {
      const path = logs.get(name) ?? file(name, "log");
      return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n") : [];
    },
    async checkWell() {
      expect(isAlive(gateway.pid)).toBe(true);
      const answer = await gateway.call("call_tool", { server_name: "well", tool_name: "customers", arguments: {} });
      expect(answer.isError).toBeFalsy();
    },
    async [Symbol.asyncDispose]() {
      await rig.checkWell();
      clearInterval(watch);
      for (const pid of processesUnder(gateway.pid)) seen.add(pid);
      await gateway[Symbol.asyncDispose]();
      expect(await leftOf([...seen], 5000)).toEqual([]);
      for (const name of Object.keys(servers)) checkHistory(history, name, rig.log(name));
    },
  };
  // A short time for calls is not meant for the start of the server.
  const impatient = Object.keys(servers).filter((name) => servers[name]?.["timeoutSeconds"] !== undefined);
  await Promise.all(impatient.map((name) => gateway.call("list_tools", { server_name: name })));
  return rig;
}

/** At most once, and not at all when it was told as not sent; an answer has exactly one call behind it. */
function checkHistory(history: readonly Entry[], server: string, log: readonly string[]): void {
  for (const { call, outcome = "unknown" } of history.filter((entry) => entry.server === server)) {
    const times = log.filter((line) => line === call).length;
    const allowed = outcome === "not_sent" ? [0] : outcome === "ok" ? [1] : [0, 1];
    expect(allowed, `${call} is told as ${outcome} and reached the server ${times} times`).toContain(times);
  }
}

export async function leftOf(pids: readonly number[], withinMs: number): Promise<number[]> {
  const until = performance.now() + withinMs;
  while (pids.some(isAlive) && performance.now() < until) await delay(20);
  return pids.filter(isAlive);
}

/** A faulty server over HTTP, outside the gateway; ends with us. */
export async function startFaultyHttp(
  ...options: string[]
): Promise<{ url: string; child: ChildProcess } & AsyncDisposable> {
  const child = spawn(process.execPath, [program, "http", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url,
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}
