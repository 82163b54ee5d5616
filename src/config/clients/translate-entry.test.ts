// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { describe, expect, test } from "vitest";
import { findServers } from "./find-servers.ts";
import type { Family } from "./interpolation.ts";
import { parseFile } from "./parse-file.ts";
import { translateEntry } from "./translate-entry.ts";

describe("where servers stand in a file", () => {
  const entry = { command: "x" };
  test.each([
    ["mcpServers", { mcpServers: { a: entry } }],
    ["servers, beside inputs", { inputs: [{ id: "k" }], servers: { a: entry } }],
    ["context_servers, beside other settings", { theme: "x", context_servers: { a: entry } }],
    ["mcp", { mcp: { a: entry, timeout: 3 } }],
    ["mcp.servers", { mcp: { servers: { a: entry } } }],
    ["mcp_servers", { mcp_servers: { a: entry } }],
    ["extensions, beside what is none", { extensions: { a: entry, x: { enabled: true } } }],
    ["a bare map", { a: entry }],
    ["a list", { mcpServers: [{ name: "a", ...entry }] }],
    ["a project of Claude Code", { projects: { "/p": { mcpServers: { a: entry } } } }],
  ])("%s", (_name, file) => {
    expect(findServers(file).map(({ name }) => name)).toEqual(["a"]);
  });

  test.each([
    ["nothing", {}],
    ["other settings", { mcp: { allowed: ["a"] }, theme: { name: "dark" } }],
    ["no object", 7],
  ])("%s is no server", (_name, file) => {
    expect(findServers(file)).toEqual([]);
  });
});

const table: [name: string, family: Family, foreign: unknown, ours: object][] = [
  [
    "as we write it",
    "braces",
    { command: "npx", args: ["-y", "x"], env: { A: "${A:-b}" } },
    { command: "npx", args: ["-y", "x"], env: { A: "${A:-b}" } },
  ],
  [
    "an array of words",
    "none",
    { type: "local", command: ["npx", "-y", "x"], environment: { A: "1" }, enabled: true },
    { command: "npx", args: ["-y", "x"], env: { A: "1" } },
  ],
  ["a whole line", "none", { command: 'npx -y x "a b"' }, { command: "npx", args: ["-y", "x", "a b"] }],
  [
    "a path with a space",
    "none",
    { command: "C:\\Program Files\\node.exe" },
    { command: "C:\\Program Files\\node.exe" },
  ],
  [
    "Goose",
    "none",
    { type: "stdio", cmd: "npx", args: ["x"], envs: { A: "1" }, env_keys: ["K"], timeout: 300, available_tools: [] },
    { command: "npx", args: ["x"], env: { K: "${K}", A: "1" } },
  ],
  ["Goose, remote", "none", { type: "streamable_http", uri: "https://h/mcp" }, { type: "http", url: "https://h/mcp" }],
  ["Zed", "none", { source: "custom", command: "x", args: [], env: {} }, { command: "x" }],
  [
    "Zed of old",
    "none",
    { command: { path: "x", args: ["a"], env: { A: "1" } } },
    { command: "x", args: ["a"], env: { A: "1" } },
  ],
  [
    "Windsurf",
    "env",
    { serverUrl: "https://h/sse", headers: { K: "${env:K}" } },
    { url: "https://h/sse", headers: { K: "${K}" } },
  ],
  [
    "Gemini",
    "dollar",
    {
      httpUrl: "https://h/mcp",
      headers: { A: "Bearer $TOKEN" },
      includeTools: ["a"],
      excludeTools: ["b"],
      trust: true,
    },
    { type: "http", url: "https://h/mcp", headers: { A: "Bearer ${TOKEN}" }, tools: { allow: ["a"], deny: ["b"] } },
  ],
  [
    "Gemini, local",
    "dollar",
    { command: "x", args: ["$HOME/a", "${B}"] },
    { command: "x", args: ["${HOME}/a", "${B}"] },
  ],
  [
    "Codex",
    "none",
    { command: "x", env_vars: ["A"], env: { B: "1" }, enabled_tools: ["t"], startup_timeout_sec: 9 },
    { command: "x", env: { A: "${A}", B: "1" }, tools: { allow: ["t"] } },
  ],
  [
    "Codex, remote",
    "none",
    { url: "https://h", bearer_token_env_var: "T", http_headers: { X: "1" }, env_http_headers: { Y: "V" } },
    { url: "https://h", headers: { Authorization: "Bearer ${T}", Y: "${V}", X: "1" } },
  ],
  [
    "opencode",
    "curly",
    { type: "remote", url: "https://h", headers: { A: "Bearer {env:T}" } },
    { url: "https://h", headers: { A: "Bearer ${T}" } },
  ],
  [
    "Continue",
    "secrets",
    { name: "a", type: "sse", url: "https://h", requestOptions: { headers: { A: "${{ secrets.T }}" } } },
    { type: "sse", url: "https://h", headers: { A: "${T}" } },
  ],
  [
    "Cline",
    "none",
    { url: "https://h", type: "streamableHttp", disabled: true, autoApprove: [] },
    { type: "http", url: "https://h", disabled: true },
  ],
  ["Copilot", "none", { type: "local", command: "x", args: [], tools: ["*"] }, { command: "x" }],
  ["Kimi", "none", { transport: "http", url: "https://h" }, { type: "http", url: "https://h" }],
  ["Kiro", "none", { command: "x", disabledTools: ["a"] }, { command: "x", tools: { deny: ["a"] } }],
  ["a number in env", "none", { command: "x", env: { PORT: 80 } }, { command: "x", env: { PORT: "80" } }],
  ["user's home", "env", { command: "${userHome}/x${/}y" }, { command: "${userHome}/x/y" }],
];

test.each(table)("%s", (_name, family, foreign, ours) => {
  const { entry, problem } = translateEntry(foreign, { family });
  expect(problem).toBeUndefined();
  expect(entry).toEqual(ours);
});

test("a server of a project runs in its folder", () => {
  const source = { family: "env", folder: "/work" } as const;
  expect(translateEntry({ command: "x", args: ["${workspaceFolder}/a"] }, source).entry).toEqual({
    command: "x",
    args: ["/work/a"],
    cwd: "/work",
  });
  expect(translateEntry({ command: "x", cwd: "sub" }, source).entry).toEqual({ command: "x", cwd: "/work/sub" });
});

test.each<[string, Family, object, RegExp]>([
  [
    "an input of VS Code",
    "env",
    { command: "x", env: { K: "${input:key}" } },
    /\$\{input:key\} has no equivalent here/,
  ],
  [
    "a file of opencode",
    "curly",
    { type: "local", command: ["x"], environment: { K: "{file:~/k}" } },
    /\{file:~\/k\} has no equivalent/,
  ],
  ["a workspace that is not known", "env", { command: "x", args: ["${workspaceFolder}"] }, /workspaceFolder/],
  ["plain text that we would expand", "none", { command: "x", args: ["${A}"] }, /plain text/],
  ["a part of the client", "none", { type: "builtin", name: "developer", bundled: true }, /part of the client/],
  ["neither command nor url", "none", { type: "stdio" }, /neither command nor url/],
])("%s is named, not dropped", (_name, family, foreign, why) => {
  expect(translateEntry(foreign, { family })).toMatchObject({ problem: expect.stringMatching(why) });
});

test("what is left out is named", () => {
  const { notes } = translateEntry(
    { command: "x", envFile: ".env", oauth: { scopes: [] }, timeout: 3 },
    { family: "env" },
  );
  expect(notes).toEqual(["its envFile is not read here: write its variables into env", "not taken over: oauth"]);
});

describe("a file that cannot be read", () => {
  test.each([
    ["toml", 'a = 1\nkey = "sk-secret\n', /line 2/],
    ["yaml", "a: 1\nkey: [sk-secret\n", /line \d/],
    ["json", '{ "key": "sk-secret" "b": 1 }', /line 1/],
  ] as const)("%s: says where, and never what stands there", (format, text, where) => {
    expect(() => parseFile(text, format, "/f")).toThrow(where);
    expect(() => parseFile(text, format, "/f")).not.toThrow(/sk-secret/);
  });
});
