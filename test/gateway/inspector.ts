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
// biome-ignore lint/suspicious/noExplicitAny: each method has a result of its own
export function inspect({ config, home }: { config: string; home: string }, ...args: string[]): any {
  const environment = [`MCP_SERVERS_CONFIG=${config}`, `MCP_COORDINATOR_HOME=${home}/data`].flatMap((entry) => [
    "-e",
    entry,
  ]);
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [inspector, "--cli", process.execPath, cli, "serve", ...args, "--format", "json", ...environment],
    { encoding: "utf8" },
  );
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return JSON.parse(stdout).result;
}
