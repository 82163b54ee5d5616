// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A file of every client, in its own format, with one server named after it (and what the test looks at). */
export const clientFiles: Readonly<Record<string, readonly [path: string, text: string]>> = {
  "claude-desktop": [".config/Claude/claude_desktop_config.json", json("mcpServers", plain("claude-desktop"))],
  "claude-code": [
    ".claude.json",
    JSON.stringify({
      numStartups: 3,
      mcpServers: { "claude-code": { type: "stdio", command: "npx", args: ["-y", "claude-code-server"], env: {} } },
      projects: { "/p": { mcpServers: { "in-project": { type: "http", url: "https://p.example/mcp" } } } },
    }),
  ],
  cursor: [
    ".cursor/mcp.json",
    `{ // comments are fine
      "mcpServers": {
        "cursor": { "command": "npx -y cursor-server", "env": { "A": "\${env:HOME}" } },
        "twin": { "command": "npx", "args": ["-y", "claude-code-server"] },
        "unset": { "url": "https://u.example/mcp", "headers": { "Authorization": "Bearer \${env:NO_SUCH_VARIABLE}" } },
        "preload": { "command": "x", "env": { "LD_PRELOAD": "/tmp/x.so", "API_KEY": "hush-hush-1" } },
        "coordinator": { "command": "npx", "args": ["-y", "mcp-coordinator"] },
      },
    }`,
  ],
  vscode: [
    ".config/Code/User/mcp.json",
    JSON.stringify({
      inputs: [{ id: "key", type: "promptString" }],
      servers: {
        vscode: { type: "stdio", command: "npx", args: ["-y", "vscode-server"] },
        asks: { type: "http", url: "https://a.example/mcp", headers: { K: "${input:key}" } },
      },
    }),
  ],
  windsurf: [
    ".codeium/windsurf/mcp_config.json",
    json("mcpServers", { windsurf: { serverUrl: "https://w.example/mcp" } }),
  ],
  codex: [
    ".codex/config.toml",
    '# mine\nmodel = "x"\n\n[mcp_servers.codex]\ncommand = "npx"\nargs = ["-y", "codex-server"]\nenv_vars = ["HOME"]\nstartup_timeout_sec = 20\n',
  ],
  gemini: [
    ".gemini/settings.json",
    json("mcpServers", { gemini: { httpUrl: "https://g.example/mcp", headers: { H: "$HOME" } } }),
  ],
  antigravity: [
    ".gemini/config/mcp_config.json",
    json("mcpServers", { antigravity: { serverUrl: "https://ag.example/mcp" } }),
  ],
  zed: [
    ".config/zed/settings.json",
    '{\n  // settings\n  "theme": "One",\n  "context_servers": { "zed": { "source": "custom", "command": "zed-server", "args": [] } }\n}\n',
  ],
  opencode: [
    ".config/opencode/opencode.json",
    json("mcp", {
      opencode: { type: "local", command: ["npx", "-y", "opencode-server"], environment: { A: "{env:HOME}" } },
    }),
  ],
  cline: [
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",
    json("mcpServers", { cline: { ...plain("cline")["cline"], disabled: false, autoApprove: [] } }),
  ],
  roo: [
    ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json",
    json("mcpServers", { roo: { ...plain("roo")["roo"], disabled: true } }),
  ],
  continue: [
    ".continue/config.yaml",
    "name: mine # who\nmcpServers:\n  - name: continue\n    command: npx\n    args: [-y, continue-server]\n",
  ],
  lmstudio: [".lmstudio/mcp.json", json("mcpServers", plain("lmstudio"))],
  goose: [
    ".config/goose/config.yaml",
    "extensions:\n  developer: { type: builtin, bundled: true, enabled: true }\n  goose:\n    type: stdio\n    cmd: goose-server\n    args: []\n    envs: {}\n    enabled: true\n",
  ],
  copilot: [
    ".copilot/mcp-config.json",
    json("mcpServers", { copilot: { ...plain("copilot")["copilot"], tools: ["*"] } }),
  ],
  kiro: [".kiro/settings/mcp.json", json("mcpServers", plain("kiro"))],
  kimi: [".kimi-code/mcp.json", json("mcpServers", { kimi: { transport: "http", url: "https://k.example/mcp" } })],
  grok: [".grok/config.toml", '[mcp_servers.grok]\nurl = "https://gr.example/mcp"\n'],
  kilo: [
    ".config/kilo/kilo.json",
    json("mcp", { kilo: { type: "remote", url: "https://ki.example/mcp", enabled: true } }),
  ],
  pi: [".pi/agent/mcp.json", json("mcpServers", plain("pi"))],
};

export function writeClientFiles(home: string): void {
  for (const [path, text] of Object.values(clientFiles)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
}

function plain(name: string): Record<string, { command: string; args: string[] }> {
  return { [name]: { command: "npx", args: ["-y", `${name}-server`] } };
}

function json(key: string, servers: object): string {
  return `${JSON.stringify({ [key]: servers }, undefined, 2)}\n`;
}
