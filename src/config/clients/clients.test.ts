import { describe, expect, test } from "vitest";
import type { System } from "./client.ts";
import { clients } from "./clients.ts";

const linux: System = { platform: "linux", home: "/home/ann", env: {}, cwd: "/work" };
const mac: System = { platform: "darwin", home: "/Users/ann", env: {}, cwd: "/work" };
const windows: System = {
  platform: "win32",
  home: "C:\\Users\\ann",
  env: { APPDATA: "C:\\Users\\ann\\AppData\\Roaming", LOCALAPPDATA: "C:\\Users\\ann\\AppData\\Local" },
  cwd: "D:\\work",
};
const support = "/Users/ann/Library/Application Support";
const roaming = "C:\\Users\\ann\\AppData\\Roaming";
const winHome = "C:\\Users\\ann";
const cline = "globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json";
const roo = "globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json";
const back = (path: string) => path.replaceAll("/", "\\");

/** Where each client keeps its servers: Linux, macOS, Windows, and in a project. */
const table: Record<string, [linux: string, mac: string, windows: string, ...projects: string[]]> = {
  "claude-desktop": [
    "/home/ann/.config/Claude/claude_desktop_config.json",
    `${support}/Claude/claude_desktop_config.json`,
    `${roaming}\\Claude\\claude_desktop_config.json`,
  ],
  "claude-code": ["/home/ann/.claude.json", "/Users/ann/.claude.json", `${winHome}\\.claude.json`, ".mcp.json"],
  cursor: [
    "/home/ann/.cursor/mcp.json",
    "/Users/ann/.cursor/mcp.json",
    `${winHome}\\.cursor\\mcp.json`,
    ".cursor/mcp.json",
  ],
  vscode: [
    "/home/ann/.config/Code/User/mcp.json",
    `${support}/Code/User/mcp.json`,
    `${roaming}\\Code\\User\\mcp.json`,
    ".vscode/mcp.json",
  ],
  windsurf: [
    "/home/ann/.codeium/windsurf/mcp_config.json",
    "/Users/ann/.codeium/windsurf/mcp_config.json",
    `${winHome}\\.codeium\\windsurf\\mcp_config.json`,
  ],
  codex: [
    "/home/ann/.codex/config.toml",
    "/Users/ann/.codex/config.toml",
    `${winHome}\\.codex\\config.toml`,
    ".codex/config.toml",
  ],
  gemini: [
    "/home/ann/.gemini/settings.json",
    "/Users/ann/.gemini/settings.json",
    `${winHome}\\.gemini\\settings.json`,
    ".gemini/settings.json",
  ],
  antigravity: [
    "/home/ann/.gemini/config/mcp_config.json",
    "/Users/ann/.gemini/config/mcp_config.json",
    `${winHome}\\.gemini\\config\\mcp_config.json`,
  ],
  zed: [
    "/home/ann/.config/zed/settings.json",
    "/Users/ann/.config/zed/settings.json",
    `${roaming}\\Zed\\settings.json`,
    ".zed/settings.json",
  ],
  opencode: [
    "/home/ann/.config/opencode/opencode.json",
    "/Users/ann/.config/opencode/opencode.json",
    `${winHome}\\.config\\opencode\\opencode.json`,
    "opencode.json",
    "opencode.jsonc",
    ".opencode/opencode.json",
    ".opencode/opencode.jsonc",
  ],
  cline: [
    `/home/ann/.config/Code/User/${cline}`,
    `${support}/Code/User/${cline}`,
    `${roaming}\\Code\\User\\${back(cline)}`,
  ],
  roo: [
    `/home/ann/.config/Code/User/${roo}`,
    `${support}/Code/User/${roo}`,
    `${roaming}\\Code\\User\\${back(roo)}`,
    ".roo/mcp.json",
  ],
  continue: [
    "/home/ann/.continue/config.yaml",
    "/Users/ann/.continue/config.yaml",
    `${winHome}\\.continue\\config.yaml`,
    ".continue/mcpServers/*.yaml",
    ".continue/mcpServers/*.yml",
    ".continue/mcpServers/*.json",
  ],
  lmstudio: ["/home/ann/.lmstudio/mcp.json", "/Users/ann/.lmstudio/mcp.json", `${winHome}\\.lmstudio\\mcp.json`],
  goose: [
    "/home/ann/.config/goose/config.yaml",
    "/Users/ann/.config/goose/config.yaml",
    `${roaming}\\Block\\goose\\config\\config.yaml`,
  ],
  copilot: [
    "/home/ann/.copilot/mcp-config.json",
    "/Users/ann/.copilot/mcp-config.json",
    `${winHome}\\.copilot\\mcp-config.json`,
    ".github/mcp.json",
  ],
  kiro: [
    "/home/ann/.kiro/settings/mcp.json",
    "/Users/ann/.kiro/settings/mcp.json",
    `${winHome}\\.kiro\\settings\\mcp.json`,
    ".kiro/settings/mcp.json",
  ],
  kimi: [
    "/home/ann/.kimi-code/mcp.json",
    "/Users/ann/.kimi-code/mcp.json",
    `${winHome}\\.kimi-code\\mcp.json`,
    ".kimi-code/mcp.json",
  ],
  grok: [
    "/home/ann/.grok/config.toml",
    "/Users/ann/.grok/config.toml",
    `${winHome}\\.grok\\config.toml`,
    ".grok/config.toml",
  ],
  kilo: [
    "/home/ann/.config/kilo/kilo.json",
    "/Users/ann/.config/kilo/kilo.json",
    `${winHome}\\.config\\kilo\\kilo.json`,
    "kilo.json",
    "kilo.jsonc",
  ],
  pi: [
    "/home/ann/.pi/agent/mcp.json",
    "/Users/ann/.pi/agent/mcp.json",
    `${winHome}\\.pi\\agent\\mcp.json`,
    ".pi/mcp.json",
  ],
};

const placesOf = (name: string, system: System) => {
  return clients.find((client) => client.name === name)?.places(system) ?? [];
};

test("the table has every client", () => {
  expect(clients.map(({ name }) => name).toSorted()).toEqual(Object.keys(table).toSorted());
});

describe.each(Object.entries(table))("%s", (name, [onLinux, onMac, onWindows, ...projects]) => {
  test.each([
    ["Linux", linux, onLinux],
    ["macOS", mac, onMac],
    ["Windows", windows, onWindows],
  ])("on %s", (_name, system, first) => {
    expect(placesOf(name, system)[0]).toEqual({ path: first, scope: "user" });
  });

  test("in a project", () => {
    const inProject = (system: System) =>
      placesOf(name, system).flatMap(({ path, scope }) => (scope === "project" ? [path] : []));
    expect(inProject(linux)).toEqual(projects.map((path) => `/work/${path}`));
    expect(inProject(windows)).toEqual(projects.map((path) => `D:\\work\\${back(path)}`));
  });
});

test.each([
  ["codex", "CODEX_HOME", "/other/config.toml"],
  ["grok", "GROK_HOME", "/other/config.toml"],
  ["kimi", "KIMI_CODE_HOME", "/other/mcp.json"],
  ["pi", "PI_CODING_AGENT_DIR", "/other/mcp.json"],
  ["zed", "XDG_CONFIG_HOME", "/other/zed/settings.json"],
])("%s follows %s", (name, variable, path) => {
  expect(placesOf(name, { ...linux, env: { [variable]: "/other" } })[0]?.path).toBe(path);
  expect(placesOf(name, { ...linux, env: { [variable]: "relative" } })[0]?.path).toMatch(/^\/home\/ann\//);
});

test("Claude Desktop from the Windows store keeps its file elsewhere", () => {
  expect(placesOf("claude-desktop", windows).map(({ path }) => path)).toContain(
    "C:\\Users\\ann\\AppData\\Local\\Packages\\Claude_*\\LocalCache\\Roaming\\Claude\\claude_desktop_config.json",
  );
});
