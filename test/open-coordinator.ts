import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { Coordinator } from "../src/app/coordinator.ts";

/** The folder of this test file: homes of its coordinators, and whatever it needs beside them. Removed after its tests. */
export const folder = mkdtempSync(join(tmpdir(), "coordinator-test-"));
const opened: Coordinator[] = [];

export interface Setting {
  readonly mcpServers?: object;
  /** The configuration's part `coordinator`. */
  readonly coordinator?: object;
  /** The name of the data folder, below `folder`: coordinators of one name share it. */
  readonly home?: string;
}

/** A coordinator with a configuration and data of its own; closed after the tests of this file, unless it is by then. */
export async function openCoordinator({
  mcpServers = {},
  coordinator = {},
  home = "home",
}: Setting = {}): Promise<Coordinator> {
  const config = join(folder, `${home}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers, coordinator }));
  const made = await Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, home) } });
  opened.push(made);
  return made;
}

afterAll(async () => {
  await Promise.all(opened.map((coordinator) => coordinator.close()));
  rmSync(folder, { recursive: true, force: true });
});

/** A server of test/servers. */
export function ownServer(name: string, ...args: string[]) {
  return { command: process.execPath, args: [fileURLToPath(new URL(`servers/${name}.mjs`, import.meta.url)), ...args] };
}

/** A reference server of the MCP project. */
export function officialServer(name: string) {
  const file = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return { command: process.execPath, args: [file] };
}
