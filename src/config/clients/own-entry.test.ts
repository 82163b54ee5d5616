import { expect, test } from "vitest";
import { ownEntry, ownStart } from "./own-entry.ts";

const start = { platform: "linux", env: { HOME: "/home/ann" }, node: "/usr/bin/node" } as const;
const usual = "/home/ann/.local/share/mcp-coordinator/config.json";

test("the way we were started: npx, or our own file", () => {
  const npx = "/home/ann/.npm/_npx/0a1b/node_modules/mcp-coordinator/dist/cli.js";
  expect(ownStart({ ...start, script: npx, config: usual })).toEqual({
    command: "npx",
    args: ["-y", "mcp-coordinator"],
    env: {},
  });
  expect(ownStart({ ...start, script: "/opt/c/dist/cli.js", config: usual })).toEqual({
    command: "/usr/bin/node",
    args: ["/opt/c/dist/cli.js"],
    env: {},
  });
});

test("on Windows npx needs its shell", () => {
  const script = "C:\\Users\\ann\\AppData\\Local\\npm-cache\\_npx\\0a1b\\node_modules\\mcp-coordinator\\dist\\cli.js";
  const { command, args } = ownStart({ ...start, platform: "win32", script, config: usual });
  expect([command, ...args]).toEqual(["cmd", "/c", "npx", "-y", "mcp-coordinator"]);
});

test("a configuration that would not be found is named, and so is a data folder of one's own", () => {
  const env = { HOME: "/home/ann", MCP_COORDINATOR_HOME: "/data" };
  expect(ownStart({ ...start, script: "/c/cli.js", config: "/work/mcp_servers.json" }).env).toEqual({
    MCP_SERVERS_CONFIG: "/work/mcp_servers.json",
  });
  expect(ownStart({ ...start, env, script: "/c/cli.js", config: "/data/config.json" }).env).toEqual({
    MCP_COORDINATOR_HOME: "/data",
  });
});

test.each([
  ["plain", { command: "n", args: ["c"] }],
  ["typed", { type: "stdio", command: "n", args: ["c"] }],
  ["zed", { source: "custom", command: "n", args: ["c"], env: {} }],
  ["opencode", { type: "local", command: ["n", "c"], environment: {}, enabled: true }],
  ["copilot", { type: "local", command: "n", args: ["c"], tools: ["*"] }],
  [
    "goose",
    {
      name: "mcp-coordinator",
      type: "stdio",
      cmd: "n",
      args: ["c"],
      envs: {},
      enabled: true,
      timeout: 300,
      description: "",
    },
  ],
] as const)("in the writing of %s", (shape, entry) => {
  expect(ownEntry({ shape }, { command: "n", args: ["c"], env: {} })).toEqual(entry);
});
