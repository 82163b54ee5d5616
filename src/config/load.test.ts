// biome-ignore-all lint/suspicious/noTemplateCurlyInString: placeholders of the configuration are the subject
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Config, loadConfig, readConfig } from "./load.ts";

const file = "/project/mcp_servers.json";
const env = { HOME: "/home/me", MCP_COORDINATOR_HOME: "/data", TOKEN: "s3cret" };

test("the same text is read once", async () => {
  const nobody = { HOME: join(tmpdir(), "nobody") };
  const { config, read } = await loadConfig({ mayBeMissing: true, cwd: tmpdir(), env: nobody });
  expect(read("{}")).toBe(config);
  expect(read("{ }")).not.toBe(config);
});

function read(content: string | object): Config {
  return readConfig(typeof content === "string" ? content : JSON.stringify(content), file, env);
}

const allTools = { allow: [], deny: [] };

test("an empty object is a configuration with no servers and every default", () => {
  expect(read({})).toEqual({
    file,
    home: "/data",
    leftOut: [],
    notes: [],
    servers: [],
    pinned: new Map(),
    toolsets: ["code"],
    sessions: "client",
    expose: [],
    sandbox: {
      typescript: "auto",
      python: "auto",
      isolation: "engine",
      limits: {
        timeoutSeconds: 30,
        maxTimeoutSeconds: 600,
        memoryMb: 512,
        cpuSeconds: 60,
        processes: 64,
        openFiles: 256,
        scratchMb: 16,
        outputBytes: 64_000_000,
        toolCalls: 1000,
        parallelToolCalls: 128,
        storedMb: 256,
        parallelRuns: 16,
      },
      container: { runtime: "auto" },
      network: { allow: [] },
      imports: { allow: ["*"], deny: [] },
    },
    output: { maxTokens: 4000, format: "compact" },
    skills: { folder: "/data/skills", maxSkills: 5000, maxVersions: 500, maxMb: 64 },
    memory: { maxMb: 64 },
    policy: { trust: [], rules: [] },
    approvals: { channels: ["client", "dashboard", "cli"], waitSeconds: 45, parkMinutes: 10, expireHours: 24 },
    journal: { keepDays: 30, maxMb: 1024 },
    workspace: { root: "/data/workspace", maxMb: 1024, maxFiles: 10_000 },
    artifacts: { maxMb: 512 },
    packages: {
      environment: "default",
      autoInstall: false,
      allow: ["*"],
      deny: [],
      sources: "index",
      hosts: [],
      timeoutSeconds: 600,
      maxMb: 2048,
    },
    http: { names: [] },
    registry: { url: expect.stringMatching(/^https:/) },
  });
});

test("the coordinator block overrides what it names and keeps the other defaults", () => {
  const config = read({
    coordinator: {
      toolsets: ["discovery", "code", "discovery"],
      sandbox: {
        typescript: "deno",
        isolation: "os",
        limits: { timeoutSeconds: 5, processes: 8 },
        network: { allow: [] },
      },
      output: { format: "json" },
    },
  });
  const defaults = read({});
  expect(config).toEqual({
    ...defaults,
    toolsets: ["discovery", "code"],
    expose: [],
    sandbox: {
      ...defaults.sandbox,
      typescript: "deno",
      isolation: "os",
      limits: { ...defaults.sandbox.limits, timeoutSeconds: 5, processes: 8 },
    },
    output: { maxTokens: 4000, format: "json" },
  });
});

describe("files of other clients work unchanged:", () => {
  test.each<[client: string, content: string, servers: object[]]>([
    [
      "Claude Desktop",
      `{ "mcpServers": { "chroma": { "command": "uvx", "args": ["chroma-mcp"], "env": { "A": "1" } } } }`,
      [{ transport: "stdio", name: "chroma", command: "uvx", args: ["chroma-mcp"], env: { A: "1" }, tools: allTools }],
    ],
    [
      "Claude Code",
      `{ "mcpServers": { "api": { "type": "http", "url": "\${BASE:-https://example.org}/mcp", "headers": { "Authorization": "Bearer \${TOKEN}" } },
                         "old": { "type": "sse", "url": "https://example.org/sse" } } }`,
      [
        {
          transport: "http",
          name: "api",
          url: "https://example.org/mcp",
          headers: { Authorization: "Bearer s3cret" },
          tools: allTools,
        },
        { transport: "sse", name: "old", url: "https://example.org/sse", headers: {}, tools: allTools },
      ],
    ],
    [
      "Cursor",
      `{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files", "\${userHome}/x", "\${workspaceFolder}"], "env": { "T": "\${env:TOKEN}" } },
                         "remote": { "url": "http://localhost:3000/mcp" } } }`,
      [
        {
          transport: "stdio",
          name: "files",
          command: "npx",
          args: ["-y", "files", "/home/me/x", "/project"],
          env: { T: "s3cret" },
          tools: allTools,
        },
        { transport: "auto", name: "remote", url: "http://localhost:3000/mcp", headers: {}, tools: allTools },
      ],
    ],
    [
      "VS Code",
      `{ "inputs": [{ "type": "promptString", "id": "key" }],
         "servers": { "git": { "type": "stdio", "command": "uvx", "args": ["mcp-server-git"], "gallery": true, "version": "1.0.0", "dev": { "watch": "x" } } } }`,
      [{ transport: "stdio", name: "git", command: "uvx", args: ["mcp-server-git"], env: {}, tools: allTools }],
    ],
    [
      "Windsurf",
      `{ "mcpServers": { "figma": { "serverUrl": "https://example.org/mcp", "disabledTools": ["delete_file"] } } }`,
      [
        {
          transport: "auto",
          name: "figma",
          url: "https://example.org/mcp",
          headers: {},
          tools: { allow: [], deny: ["delete_file"] },
        },
      ],
    ],
    [
      "Gemini CLI",
      `{ "mcpServers": { "one": { "httpUrl": "https://example.org/mcp", "trust": true, "timeout": 5000, "includeTools": ["read"], "excludeTools": ["write"], "description": "one" } } }`,
      [
        {
          transport: "http",
          name: "one",
          description: "one",
          url: "https://example.org/mcp",
          headers: {},
          tools: { allow: ["read"], deny: ["write"] },
        },
      ],
    ],
    [
      "Cline and Roo Code",
      `{ "mcpServers": { "a": { "type": "streamableHttp", "url": "https://example.org/", "autoApprove": ["\${x}"], "alwaysAllow": [], "timeout": 60, "disabled": false },
                         "b": { "type": "streamable-http", "url": "https://example.org/", "watchPaths": ["x"] },
                         "c": { "command": "c", "disabled": true } } }`,
      [
        { transport: "http", name: "a", url: "https://example.org/", headers: {}, tools: allTools },
        { transport: "http", name: "b", url: "https://example.org/", headers: {}, tools: allTools },
      ],
    ],
    [
      "Copilot CLI",
      `{ "mcpServers": { "a": { "command": "a", "tools": ["*"] }, "b": { "command": "b", "tools": [] } } }`,
      [
        { transport: "stdio", name: "a", command: "a", args: [], env: {}, tools: { allow: ["*"], deny: [] } },
        { transport: "stdio", name: "b", command: "b", args: [], env: {}, tools: { allow: [], deny: ["*"] } },
      ],
    ],
    [
      "our own",
      `// servers
       { "$schema": "x", "mcpServers": { "a": { "command": "./run me", "cwd": "sub", "tools": { "allow": ["get_*"], "deny": ["delete_*"] }, }, }, /* end */ }`,
      [
        {
          transport: "stdio",
          name: "a",
          command: "./run me",
          args: [],
          env: {},
          cwd: "/project/sub",
          tools: { allow: ["get_*"], deny: ["delete_*"] },
        },
      ],
    ],
  ])("%s", (_client, content, servers) => {
    const config = read(content);
    expect(config.servers).toEqual(servers);
    expect(config.notes).toEqual([]);
  });
});

test("a file is found, decoded and read", async () => {
  const cwd = await mkdtemp(join(tmpdir(), "config-load-"));
  try {
    await writeFile(
      join(cwd, ".mcp.json"),
      '\uFEFF{\r\n  // one\r\n  "mcpServers": { "a": { "command": "a" } },\r\n}\r\n',
    );
    const source = await loadConfig({ cwd, env });
    expect(source.config).toEqual({
      ...read({ mcpServers: { a: { command: "a" } } }),
      file: join(cwd, ".mcp.json"),
    });
    // A text that has not changed is not checked again.
    expect(source.read((await source.text()) ?? "")).toBe(source.config);
  } finally {
    await rm(cwd, { recursive: true });
  }
});

test("servers keep the order of the file, names that look like numbers too", () => {
  const config = read(
    `{ "mcpServers": { "b": { "command": "x" }, "2": { "command": "x" }, "1": { "command": "x" } } }`,
  );
  expect(config.servers.map((server) => server.name)).toEqual(["b", "2", "1"]);
});

test("names that objects are born with are names like others", () => {
  const config = read(
    `{ "mcpServers": { "constructor": { "command": "x", "env": { "toString": "1", "hasOwnProperty": "2" } } } }`,
  );
  expect(config.servers).toEqual([
    {
      transport: "stdio",
      name: "constructor",
      command: "x",
      args: [],
      env: { toString: "1", hasOwnProperty: "2" },
      tools: allTools,
    },
  ]);
});

test("ourselves is left out with a note, whatever variables it names", () => {
  const { servers, notes } = read({
    mcpServers: {
      us: { command: "npx", args: ["-y", "mcp-coordinator@latest"], env: { KEY: "${UNSET}" } },
      "us too": { command: "/usr/bin/mcp-coordinator" },
      off: { command: "mcp-coordinator", disabled: true },
      other: { command: "x" },
    },
  });
  expect({ names: servers.map((server) => server.name), notes }).toEqual({
    names: ["other"],
    notes: [
      "mcpServers.us is left out: it is mcp-coordinator itself",
      'mcpServers["us too"] is left out: it is mcp-coordinator itself',
    ],
  });
});

test("settings that a kind of server has no use for are noted", () => {
  const { notes } = read({
    mcpServers: {
      local: { command: "x", headers: { A: "b" } },
      remote: { url: "https://example.org", env: { A: "b" }, args: [], cwd: "." },
    },
  });
  expect(notes).toEqual([
    "mcpServers.local.headers is not used: the server is local",
    "mcpServers.remote.env is not used: the server is not started here",
    "mcpServers.remote.cwd is not used: the server is not started here",
  ]);
});

test("a disabled server is not expanded and may be half written, but its keys are checked", () => {
  const disabled = { url: "${UNSET}", headers: { A: "${input:a}" }, disabled: true };
  expect(read({ mcpServers: { a: disabled, b: { disabled: true } } }).servers).toEqual([]);
  expect(() => read({ mcpServers: { a: { ...disabled, comand: "x" } } })).toThrow(
    'mcpServers.a.comand: unknown key; did you mean "command"?',
  );
});
