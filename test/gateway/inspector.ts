import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { cli } from "./connect.ts";

const inspector = join(
  dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")),
  "clients/launcher/build/index.js",
);

/** Asks a gateway by the MCP Inspector, a client that is not ours; answers the result. */
export function inspect({ config, home }: { config: string; home: string }, ...args: string[]) {
  const environment = [`MCP_SERVERS_CONFIG=${config}`, `MCP_COORDINATOR_HOME=${home}/data`].flatMap((entry) => [
    "-e",
    entry,
  ]);
  return inspectTarget([process.execPath, cli, "serve"], [...args, ...environment]);
}

/** The same over HTTP. */
export function inspectHttp({ url, token }: { url: string; token: string }, ...args: string[]) {
  return inspectTarget([url, "--transport", "http"], [...args, "--header", `Authorization: Bearer ${token}`]);
}

// biome-ignore lint/suspicious/noExplicitAny: each method has a result of its own
function inspectTarget(target: string[], args: string[]): any {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [inspector, "--cli", ...target, ...args, "--format", "json"],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout).result;
}
