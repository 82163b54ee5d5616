import { type Client, type ClientPlace, type Folders, foldersOf, type System } from "./client.ts";

type Row = Partial<Omit<Client, "places">> & Pick<Client, "name" | "title"> & { places(at: Folders): ClientPlace[] };

const cline = ["saoudrizwan.claude-dev", "settings", "cline_mcp_settings.json"];
const roo = ["rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"];

const rows: readonly Row[] = [
  {
    name: "claude-desktop",
    title: "Claude Desktop",
    places: (at) => [
      at.support("Claude", "claude_desktop_config.json"),
      ...at.local("Packages", "Claude_*", "LocalCache", "Roaming", "Claude", "claude_desktop_config.json"),
      ...at.local("Claude-Data", "claude_*", "claude_desktop_config.json"),
    ],
  },
  {
    name: "claude-code",
    title: "Claude Code",
    shape: "typed",
    family: "braces",
    places: (at) => [at.home(".claude.json"), at.project(".mcp.json")],
    settings: [".claude/", ".claude.json", ".claude-plugin/"],
    instructions: ["CLAUDE.md", "CLAUDE.local.md"],
  },
  {
    name: "cursor",
    title: "Cursor",
    family: "env",
    places: (at) => [at.home(".cursor", "mcp.json"), at.project(".cursor", "mcp.json")],
    settings: [".cursor/"],
    instructions: [".cursorrules"],
  },
  {
    name: "vscode",
    title: "VS Code",
    key: ["servers"],
    shape: "typed",
    family: "env",
    places: (at) => [
      at.support("Code", "User", "mcp.json"),
      at.support("Code - Insiders", "User", "mcp.json"),
      at.support("VSCodium", "User", "mcp.json"),
      at.project(".vscode", "mcp.json"),
    ],
    settings: [".vscode/", "*.code-workspace"],
  },
  {
    name: "windsurf",
    title: "Windsurf",
    family: "env",
    places: (at) => [at.home(".codeium", "windsurf", "mcp_config.json")],
    settings: [".windsurf/", ".codeium/", ".devin/"],
    instructions: [".windsurfrules"],
  },
  {
    name: "codex",
    title: "Codex",
    format: "toml",
    key: ["mcp_servers"],
    shape: "table",
    places: (at) => [
      ...at.named("CODEX_HOME", "config.toml"),
      at.home(".codex", "config.toml"),
      at.project(".codex", "config.toml"),
    ],
    settings: [".codex/", ".agents/"],
    instructions: ["AGENTS.override.md"],
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    family: "dollar",
    places: (at) => [
      at.home(".gemini", "settings.json"),
      at.project(".gemini", "settings.json"),
      { scope: "user", path: systemGemini(at) },
    ],
    settings: [".gemini/"],
    instructions: ["GEMINI.md"],
  },
  {
    name: "antigravity",
    title: "Antigravity",
    family: "braces",
    places: (at) => [at.home(".gemini", "config", "mcp_config.json")],
    settings: [".agent/", ".agents/"],
    instructions: ["AGENT.md"],
  },
  {
    name: "zed",
    title: "Zed",
    key: ["context_servers"],
    shape: "zed",
    places: (at) => [
      ...(at.isWindows ? [] : [at.config("zed", "settings.json")]),
      ...(at.isWindows || at.isMac ? [at.support("Zed", "settings.json")] : []),
      at.project(".zed", "settings.json"),
    ],
    settings: [".zed/"],
    instructions: [".rules"],
  },
  {
    name: "opencode",
    title: "opencode",
    key: ["mcp"],
    shape: "opencode",
    family: "curly",
    places: (at) => [
      at.config("opencode", "opencode.json"),
      at.config("opencode", "opencode.jsonc"),
      at.project("opencode.json"),
      at.project("opencode.jsonc"),
      at.project(".opencode", "opencode.json"),
      at.project(".opencode", "opencode.jsonc"),
    ],
    settings: [".opencode/"],
  },
  {
    name: "cline",
    title: "Cline",
    places: (at) => [
      ...at.editors("globalStorage", ...cline),
      ...at.named("CLINE_MCP_SETTINGS_PATH"),
      ...at.named("CLINE_DIR", "data", "settings", "cline_mcp_settings.json"),
      at.home(".cline", "data", "settings", "cline_mcp_settings.json"),
    ],
    settings: [".cline/"],
    instructions: [".clinerules"],
  },
  {
    name: "roo",
    title: "Roo Code",
    family: "env",
    places: (at) => [...at.editors("globalStorage", ...roo), at.project(".roo", "mcp.json")],
    settings: [".roo/", ".roomodes"],
    instructions: [".roorules", ".roorules-*", ".clinerules-*"],
  },
  {
    name: "continue",
    title: "Continue",
    format: "yaml",
    shape: "continue",
    family: "secrets",
    places: (at) => [
      at.home(".continue", "config.yaml"),
      at.project(".continue", "mcpServers", "*.yaml"),
      at.project(".continue", "mcpServers", "*.yml"),
      at.project(".continue", "mcpServers", "*.json"),
    ],
    settings: [".continue/", ".continuerc.json"],
    instructions: [".continuerules"],
  },
  {
    name: "lmstudio",
    title: "LM Studio",
    family: "env",
    places: (at) => [at.home(".lmstudio", "mcp.json"), at.home(".cache", "lm-studio", "mcp.json")],
  },
  {
    name: "goose",
    title: "Goose",
    format: "yaml",
    key: ["extensions"],
    shape: "goose",
    places: (at) => [
      at.isWindows ? at.support("Block", "goose", "config", "config.yaml") : at.config("goose", "config.yaml"),
    ],
    settings: [".goose/"],
    instructions: [".goosehints"],
  },
  {
    name: "copilot",
    title: "Copilot CLI",
    shape: "copilot",
    family: "braces",
    places: (at) => [
      at.home(".copilot", "mcp-config.json"),
      ...at.named("XDG_CONFIG_HOME", ".copilot", "mcp-config.json"),
      ...at.named("XDG_CONFIG_HOME", "copilot", "mcp-config.json"),
      ...at.named("XDG_CONFIG_HOME", "mcp-config.json"),
      at.project(".github", "mcp.json"),
    ],
    settings: [".github/hooks/", ".github/copilot/", ".github/lsp.json", ".copilot/"],
    instructions: [
      ".github/copilot-instructions.md",
      ".github/instructions/",
      ".github/prompts/",
      ".github/agents/",
      ".github/skills/",
    ],
  },
  {
    name: "kiro",
    title: "Kiro",
    family: "braces",
    places: (at) => [at.home(".kiro", "settings", "mcp.json"), at.project(".kiro", "settings", "mcp.json")],
    settings: [".kiro/"],
  },
  {
    name: "kimi",
    title: "Kimi Code",
    family: "braces",
    places: (at) => [
      ...at.named("KIMI_CODE_HOME", "mcp.json"),
      at.home(".kimi-code", "mcp.json"),
      at.project(".kimi-code", "mcp.json"),
    ],
    settings: [".kimi-code/"],
  },
  {
    name: "grok",
    title: "Grok Build",
    format: "toml",
    key: ["mcp_servers"],
    shape: "table",
    places: (at) => [
      ...at.named("GROK_HOME", "config.toml"),
      at.home(".grok", "config.toml"),
      at.project(".grok", "config.toml"),
    ],
    settings: [".grok/"],
  },
  {
    name: "kilo",
    title: "Kilo Code",
    key: ["mcp"],
    shape: "opencode",
    family: "curly",
    places: (at) => [
      at.config("kilo", "kilo.json"),
      at.config("kilo", "kilo.jsonc"),
      at.project("kilo.json"),
      at.project("kilo.jsonc"),
    ],
    settings: [".kilo/", ".kilocode/", ".kilocodemodes"],
  },
  {
    name: "pi",
    title: "Pi",
    family: "braces",
    places: (at) => [
      ...at.named("PI_CODING_AGENT_DIR", "mcp.json"),
      at.home(".pi", "agent", "mcp.json"),
      at.project(".pi", "mcp.json"),
    ],
    settings: [".pi/"],
  },
];

/** Every client whose files we know. Most keep a map `mcpServers` in JSON and expand nothing. */
export const clients: readonly Client[] = rows.map(({ places, ...row }) => ({
  format: "json",
  key: ["mcpServers"],
  shape: "plain",
  family: "none",
  settings: [],
  instructions: [],
  ...row,
  places: (system: System) => places(foldersOf(system)),
}));

function systemGemini({ isWindows, isMac }: Folders): string {
  if (isWindows) return "C:\\ProgramData\\gemini-cli\\settings.json";
  return isMac ? "/Library/Application Support/GeminiCli/settings.json" : "/etc/gemini-cli/settings.json";
}
