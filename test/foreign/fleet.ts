import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { node22, program } from "./program.ts";

const { resolve } = createRequire(import.meta.url);

/** Nobody listens there: what would go to the network fails at once instead. */
const nowhere = "http://127.0.0.1:9";

/** Configured servers, all from npm, over files below a folder of their own. None is given a real secret. */
export function createFleet(folder: string) {
  const files = join(folder, "files");
  const notes = join(folder, "notes");
  for (const path of [files, join(notes, ".obsidian")]) mkdirSync(path, { recursive: true });
  writeFileSync(join(notes, "plan.md"), "Ship the gateway.\n");
  execFileSync("git", ["init", "--quiet", "--initial-branch=main", files]);
  for (const [key, value] of [["user.name", "Fleet"] as const, ["user.email", "fleet@localhost"] as const]) {
    execFileSync("git", ["-C", files, "config", key, value]);
  }

  const node = (script: string, args: string[] = [], env: Record<string, string> = {}) => ({
    command: process.execPath,
    args: [script, ...args],
    env: { HOME: folder, ...env },
  });
  const official = (name: string, ...args: string[]) =>
    node(resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), args);
  const server = (name: string, args?: string[], env?: Record<string, string>) => node(program(name), args, env);

  const mcpServers = {
    everything: official("everything"),
    filesystem: official("filesystem", files),
    memory: { ...official("memory"), env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") } },
    thinking: server("@modelcontextprotocol/server-sequential-thinking"),
    git: server("@cyanheads/git-mcp-server"),
    commands: server("mcp-server-commands"),
    "basic-react": server("@modelcontextprotocol/server-basic-react", ["--stdio"]),
    map: server("@modelcontextprotocol/server-map", ["--stdio"]),
    obsidian: server("mcp-obsidian", [notes]),
    knip: server("@knip/mcp"),
    // Both speak 2026-07-28.
    vault: { ...server("obsidian-mcp", ["serve", "--vault", `notes=${notes}`]), command: node22 },
    context7: server("@upstash/context7-mcp"),
    // Both greet on stdout.
    time: server("time-mcp"),
    calculator: server("@wrtnlabs/calculator-mcp"),
    // Sends nine input schemas that say nothing.
    gitlab: server("@modelcontextprotocol/server-gitlab", [], { GITLAB_PERSONAL_ACCESS_TOKEN: "none" }),
    // Declares resources and has none.
    hubspot: server("@hubspot/mcp-server", [], { PRIVATE_APP_ACCESS_TOKEN: "none" }),
    // Large definitions, with many references and unions.
    notion: server("@notionhq/notion-mcp-server", [], { NOTION_TOKEN: "none", HTTPS_PROXY: nowhere }),
    chart: server("@antv/mcp-server-chart", [], { VIS_REQUEST_SERVER: nowhere }),
    chrome: server("chrome-devtools-mcp", ["--no-usage-statistics", "--no-performance-crux"]),
    // Names that others have as well.
    github: server("@modelcontextprotocol/server-github", [], { GITHUB_PERSONAL_ACCESS_TOKEN: "none" }),
    airtable: server("airtable-mcp-server", [], { AIRTABLE_API_KEY: "pat.none" }),
    slack: server("@modelcontextprotocol/server-slack", [], { SLACK_BOT_TOKEN: "none", SLACK_TEAM_ID: "T0" }),
  };
  return { mcpServers, files };
}
