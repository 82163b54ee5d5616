import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import type { RemoteServer, StdioServer } from "../config/server.ts";
import { UpstreamError } from "./upstream-error.ts";

const folder = fileURLToPath(new URL("../../test/servers/", import.meta.url));
const anyTool = { allow: [], deny: [] };

/** The faulty server of test/servers, with these faults. */
export function faulty(...faults: string[]): StdioServer {
  return nodeServer(`${folder}faulty-server.mjs`, ...faults);
}

/** A server that comes from npm. */
export function official(name: string, ...args: string[]): StdioServer {
  const main = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return nodeServer(main, ...args);
}

export function nodeServer(...args: string[]): StdioServer {
  return { transport: "stdio", name: "tested", command: process.execPath, args, env: {}, tools: anyTool };
}

export function remote(url: string, options: Partial<RemoteServer> = {}): RemoteServer {
  return { transport: "auto", name: "tested", url, headers: {}, tools: anyTool, ...options };
}

/** A running HTTP server of test/servers; it ends with its stdin, so with us. */
export interface HttpFixture extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
}

export async function startHttpServer(kind: string, ...faults: string[]): Promise<HttpFixture> {
  const child = spawn(process.execPath, [`${folder}http-server.mjs`, kind, ...faults], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return {
    url,
    child,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill();
      await once(child, "exit");
    },
  };
}

/** Bundles one of our programs, so that Node 20 can run it; it may import "./upstreams.ts" and the like. */
export function bundle(source: string, from = import.meta.url): string {
  const file = fileURLToPath(new URL(`../../node_modules/.tmp/upstream-${randomUUID()}.mjs`, import.meta.url));
  buildSync({
    stdin: { contents: source, resolveDir: fileURLToPath(new URL(".", from)), loader: "ts" },
    outfile: file,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "node",
    target: "node20.19",
  });
  return file;
}

/** The text of a result that has one. */
export function textOf(result: unknown): string {
  const [content] = (result as { content: { text: string }[] }).content;
  return content?.text ?? "";
}

export function isAlive(pid: number): boolean {
  // A process that has ended but was not collected by its new parent still takes signals.
  if (existsSync("/proc/self/stat")) {
    return existsSync(`/proc/${pid}/stat`) && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits until none of the processes is left; answers those that still are when the time is up. */
export async function survivors(pids: readonly number[], withinMs: number): Promise<number[]> {
  const until = performance.now() + withinMs;
  while (pids.some(isAlive) && performance.now() < until) await delay(20);
  return pids.filter(isAlive);
}

/** The error of a call that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UpstreamError)) throw new Error("expected an UpstreamError", { cause: error });
  return error;
}
