// The servers that benches and the demo configure: from npm, from ../shared where that folder exists, and our own.
import { existsSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const resolve = createRequire(import.meta.url).resolve;
const shared = fileURLToPath(new URL("../../shared/", import.meta.url));
const recorded = join(shared, "data/tool-definitions");
const replay = join(shared, "tools/replay-server.mjs");

export const echoServer = nodeServer(fileURLToPath(new URL("echo-server.mjs", import.meta.url)));

/** The three official servers, working in one folder. */
export function officialServers(folder) {
  return {
    everything: official("everything"),
    filesystem: official("filesystem", folder),
    memory: { ...official("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
  };
}

/** The recorded definitions of 38 public servers, each served by a process; the official three where those are not. */
export function manyServers(folder) {
  if (!existsSync(recorded) || !existsSync(replay)) return officialServers(folder);
  const files = readdirSync(recorded).filter((name) => name.endsWith(".json"));
  return Object.fromEntries(files.map((name) => [basename(name, ".json"), nodeServer(replay, join(recorded, name))]));
}

function official(name, ...args) {
  return nodeServer(resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args);
}

function nodeServer(...args) {
  return { command: process.execPath, args };
}
