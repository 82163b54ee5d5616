import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { bundleProgram } from "../bundle-program.ts";
import { official } from "../gateway/connect.ts";

// Every way that somebody has to an upstream, with a gate planted at the door: each is refused, and leaves a row.

const run = promisify(execFile);
const bundles = fileURLToPath(new URL(`../../node_modules/.tmp/gated-${process.pid}`, import.meta.url));
const program = join(bundles, "cli.mjs");
const folder = mkdtempSync(join(tmpdir(), "one-door-"));
const config = join(folder, "mcp_servers.json");
const home = join(folder, "data");
const env = { ...process.env, MCP_COORDINATOR_HOME: home, MCP_SERVERS_CONFIG: config, GATED: "cli" };
const skill =
  'import { echo } from "mcp_tools/everything";\n/** Says it again. */\nexport async function say(): Promise<unknown> {\n  return await echo({ message: "x" });\n}\n';
let client: Client;

beforeAll(async () => {
  bundleProgram(new URL("./gated-cli.fixture.ts", import.meta.url), program);
  const coordinator = {
    toolsets: ["code", "discovery", "skills", "environment"],
    sandbox: { network: { allow: ["api.example.org"] } },
  };
  writeFileSync(config, JSON.stringify({ mcpServers: { everything: official("everything", "stdio") }, coordinator }));
  // The skill and the generated libraries are made before the gate is there.
  await using open = await Coordinator.open({
    config,
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: home },
  });
  await open.run("save_skill", { name: "say", code: skill });
  await open.generateTools({ out: join(folder, "mcp_tools") });
  // What the generated library imports is the same bundle, with the same gate.
  mkdirSync(join(folder, "node_modules/mcp-coordinator"), { recursive: true });
  writeFileSync(
    join(folder, "node_modules/mcp-coordinator/package.json"),
    JSON.stringify({ name: "mcp-coordinator", type: "module", exports: "./index.js" }),
  );
  writeFileSync(join(folder, "node_modules/mcp-coordinator/index.js"), `export * from ${JSON.stringify(program)};\n`);
  client = new Client({ name: "test", version: "1" });
  const args = [program, "serve", "--expose", "everything", "--config", config];
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args, env: { ...env, PATH: process.env["PATH"] ?? "" } }),
  );
}, 120_000);

afterAll(async () => {
  await client?.close();
  rmSync(bundles, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const tool = async (name: string, args: object) =>
  JSON.stringify(await client.callTool({ name, arguments: args as Record<string, unknown> }));
const typescript = (code: string) => tool("execute_code", { code });
const python = (code: string) => tool("execute_code", { code, language: "python" });
const outside = (command: string, args: string[], more: object = {}) =>
  run(command, args, { env: { ...env, ...more }, cwd: folder });
const script = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const ways: [way: string, act: string, go: () => Promise<unknown>][] = [
  [
    "a guest in TypeScript",
    "echo",
    () => typescript('import { echo } from "mcp_tools/everything"; await echo({ message: "x" })'),
  ],
  ["a guest in Python", "echo", () => python('from mcp_tools.everything import echo\necho(message="x")')],
  [
    "raw in TypeScript",
    "echo",
    () =>
      typescript(
        'import { echo } from "mcp_tools/everything"; import { raw } from "mcp_tools"; await raw(echo, { message: "x" })',
      ),
  ],
  [
    "raw in Python",
    "echo",
    () => python('from mcp_tools.everything import echo\nfrom mcp_tools import raw\nraw(echo, message="x")'),
  ],
  [
    "a call by name in a guest",
    "echo",
    () => typescript('import { call } from "mcp_tools/everything"; await call("echo", { message: "x" })'),
  ],
  [
    "call_tool in a guest",
    "echo",
    () =>
      typescript(
        'import { call_tool } from "coordinator"; await call_tool({ server_name: "everything", tool_name: "echo", arguments: { message: "x" } })',
      ),
  ],
  [
    "a resource in a guest",
    "resources/read",
    () =>
      typescript(
        'import { resources } from "coordinator"; await resources.read("demo://resource/static/document/features.md", { server: "everything" })',
      ),
  ],
  [
    "a prompt in a guest",
    "prompts/get",
    () => python('from coordinator import prompts\nprompts.get("simple-prompt", server="everything")'),
  ],
  [
    "call_tool",
    "echo",
    () => tool("call_tool", { server_name: "everything", tool_name: "echo", arguments: { message: "x" } }),
  ],
  ["an exposed tool", "echo", () => tool("echo", { message: "x" })],
  ["an exposed prompt", "prompts/get", () => client.getPrompt({ name: "simple-prompt" })],
  [
    "an exposed resource",
    "resources/read",
    () => client.readResource({ uri: "demo://resource/static/document/features.md" }),
  ],
  [
    "a subscription",
    "resources/subscribe",
    () => client.subscribeResource({ uri: "demo://resource/static/document/features.md" }),
  ],
  [
    "a completion",
    "completion/complete",
    () =>
      client.complete({
        ref: { type: "ref/prompt", name: "completable-prompt" },
        argument: { name: "department", value: "E" },
      }),
  ],
  ["a skill that is run", "echo", () => tool("run_skill", { name: "say" })],
  ["a skill that is imported", "echo", () => typescript('import { say } from "skills/say"; await say()')],
  ["the command", "echo", () => outside(process.execPath, [program, "call", "everything", "echo", "message=x"])],
  [
    "the command that runs code",
    "echo",
    () =>
      outside(process.execPath, [
        program,
        "run",
        script("guest.ts", 'import { echo } from "mcp_tools/everything"; await echo({ message: "x" })'),
      ]),
  ],
  [
    "a generated library in TypeScript",
    "echo",
    () =>
      outside(
        process.execPath,
        [script("program.mjs", 'import { echo } from "./mcp_tools/everything.js";\nawait echo({ message: "x" });')],
        { GATED: "" },
      ),
  ],
  [
    "a generated library in Python",
    "echo",
    () =>
      outside("python3", [script("program.py", 'from mcp_tools.everything import echo\necho(message="x")')], {
        MCP_COORDINATOR_COMMAND: `"${process.execPath}" "${program}"`,
      }),
  ],
  [
    "the library's class",
    "echo",
    () =>
      outside(
        process.execPath,
        [
          script(
            "class.mjs",
            'import { Coordinator } from "mcp-coordinator";\nawait using coordinator = await Coordinator.open();\nawait coordinator.callTool("everything", "echo", { message: "x" });'.replace(
              "await using",
              "const",
            ),
          ),
        ],
        { GATED: "" },
      ),
  ],
  [
    "packages that are installed",
    "packages.install",
    () => tool("install_dependencies", { packages: ["nanoid"], language: "typescript" }),
  ],
  [
    "a skill that is saved",
    "skills.save",
    () => tool("save_skill", { name: "again", code: skill.replace("say", "again") }),
  ],
  [
    "a skill that is deleted",
    "skills.delete",
    () => typescript('import { skills } from "coordinator"; await skills.delete("say")'),
  ],
  [
    "a request of a guest to the network",
    "network:api.example.org",
    () => typescript('await fetch("http://api.example.org/")'),
  ],
];

const refusals = async (): Promise<string[]> => {
  using store = openStore(home);
  const { journal } = store;
  const runs = await Promise.all((await journal.listRuns({ limit: 1000 })).map(({ id }) => journal.getRun(id)));
  return runs
    .flatMap((run) => run?.toolCalls ?? [])
    .flatMap(({ outcome, tool: act, error }) => (outcome === "refused" && error?.startsWith("planted") ? [act] : []));
};

test.each(ways)("%s is refused at the door, and the journal says so", { timeout: 120_000 }, async (_way, act, go) => {
  const before = (await refusals()).filter((refused) => refused === act).length;
  const answer = await go().then(
    String,
    (thrown: Error & { stderr?: string }) => `${thrown.message} ${thrown.stderr ?? ""}`,
  );
  expect(answer).toContain(`planted: no ${act}`);
  await expect
    .poll(async () => (await refusals()).filter((refused) => refused === act).length, { timeout: 30_000 })
    .toBe(before + 1);
});
