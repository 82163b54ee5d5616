import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadConfig } from "../src/config/load.ts";
import { policyOf } from "../src/door/policy-in-force.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const timeout = 60_000;
let scratch: string;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "examples-"));
});
afterAll(() => rm(scratch, { recursive: true, force: true }));

/** Runs a program of Node at the root of the project, its data and temporary files in a folder of its own. */
async function node(...args: string[]): Promise<{ stdout: string; stderr: string; temporary: string }> {
  const temporary = await mkdtemp(join(scratch, "run-"));
  const home = join(scratch, "data");
  await mkdir(home, { recursive: true });
  const env = { ...process.env, TMPDIR: temporary, MCP_COORDINATOR_HOME: home };
  const output = await promisify(execFile)(process.execPath, args, { cwd: root, env });
  return { ...output, temporary };
}

/** The command that an example gives in its first comment, with our own program in place of the installed one. */
async function documentedCommand(example: string): Promise<string[]> {
  const source = await readFile(join(root, example), "utf8");
  const [, command] = /^(?:\/\/|#) {3}mcp-coordinator (.*)$/m.exec(source) ?? [];
  if (command === undefined) throw new Error(`${example} does not say how to run it`);
  return ["dist/cli.js", ...command.split(" ")];
}

describe("examples", () => {
  test("basic-chaining.ts prints what its last tool answered", { timeout }, async () => {
    const { stdout } = await node(...(await documentedCommand("examples/basic-chaining.ts")), "--json");
    expect(JSON.parse(stdout)).toEqual({
      status: "ok",
      stdout: "Echo: The sum of 16300 and 3600 is 19900.\n",
      run: expect.any(String),
      calls: { total: 3, failed: 0 },
    });
  });

  test("multi-tool.ts combines three servers and lives with a call that fails", { timeout }, async () => {
    const { stdout } = await node(...(await documentedCommand("examples/multi-tool.ts")), "--json");
    expect(JSON.parse(stdout)).toEqual({
      status: "ok",
      stdout: "no forecast: filesystem.read_text_file failed\nEcho: 1 of 4 regions missed their target\n",
      result: [{ name: "region east", observations: ["8000 of 9000"] }],
      run: expect.any(String),
      calls: { total: 7, failed: 1 },
    });
  });

  test.each([
    ["ts", "revenue_by_country", [], "revenue_by_country uses shop.get_customer, shop.list_orders\n"],
    ["py", "best_customers", ["count=2"], "best_customers uses shop.get_customer, shop.list_orders\n"],
  ])("building-skills.%s leaves a skill that runs", { timeout }, async (ending, name, args, said) => {
    const { stdout } = await node(...(await documentedCommand(`examples/building-skills.${ending}`)), "--json");
    expect(JSON.parse(stdout)).toMatchObject({ status: "ok", stdout: expect.stringContaining(said) });
    const skill = ["skills", "run", name, ...args, "--config", "examples/configs/shop.json", "--json"];
    const ran = await node("dist/cli.js", ...skill);
    expect(JSON.parse(ran.stdout)).toMatchObject({ status: "ok", calls: { failed: 0 } });
  });

  test("gates.mjs refuses what its program does not want done", { timeout }, async () => {
    const { stdout } = await node("examples/gates.mjs");
    expect(stdout.split("\n")).toEqual([
      "error This program does not let anybody use memory.create_entities",
      "read_graph ok",
      "create_entities refused",
      "",
    ]);
  });

  test("library.mjs runs the coordinator inside a program, which ends by itself", { timeout }, async () => {
    const { stdout, stderr } = await node("examples/library.mjs");
    expect({ stdout, stderr }).toEqual({
      stdout: [
        "ok 8 { total: 1, failed: 0 }",
        'check_failed "mcp_tools/filesystem" has no tool "read_text_fil". Did you mean "read_text_file"?',
        "The sum of 20 and 22 is 42.",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("the demo answers its question for less than a hundredth of the tokens and leaves nothing behind", {
    timeout,
  }, async () => {
    const { stdout, temporary } = await node("examples/demo/demo.mjs");
    expect(stdout).toContain("Echo: 10000 orders read, 3 findings kept in memory");
    expect(stdout).toContain("54.4% of 128832 EUR came back");
    expect(stdout).toMatch(/^99\.\d\d% fewer\.$/m);
    expect(await readdir(temporary)).toEqual([]);
  });
});

describe("example configurations", () => {
  const servers: Record<string, readonly string[]> = {
    "data-analyst.jsonc": ["warehouse", "mongodb", "files", "excel", "chart"],
    "devops.jsonc": ["github", "git", "kubernetes", "sentry"],
    "local.json": ["everything", "filesystem", "memory"],
    "researcher.jsonc": ["arxiv", "web", "fetch", "chroma", "memory"],
    "shop.json": ["shop"],
  };

  test("each of them is known here", async () => {
    expect((await readdir(join(root, "examples/configs"))).sort()).toEqual(Object.keys(servers));
  });

  test.each(Object.entries(servers))("%s is valid where no variable is set", async (file, names) => {
    const { config } = await loadConfig({ path: join(root, "examples/configs", file), env: { HOME: "/home/someone" } });
    expect({ names: config.servers.map(({ name }) => name), notes: config.notes }).toEqual({ names, notes: [] });
    expect(JSON.stringify(config.servers)).not.toContain("${");
  });

  test.each<[string, string, string, object, string]>([
    ["devops.jsonc", "kubernetes", "kubectl_apply", {}, "ask"],
    ["devops.jsonc", "kubernetes", "kubectl_get", {}, "allow"],
    ["devops.jsonc", "github", "push_files", { branch: "main" }, "deny"],
    ["devops.jsonc", "github", "push_files", { branch: "fix" }, "ask"],
    ["devops.jsonc", "github", "list_issues", {}, "allow"],
    ["data-analyst.jsonc", "warehouse", "execute_sql", { sql: "SELECT 1" }, "allow"],
    ["data-analyst.jsonc", "warehouse", "execute_sql", { sql: "SELECT 1; DROP TABLE orders" }, "ask"],
    ["data-analyst.jsonc", "warehouse", "execute_sql", { sql: "DROP TABLE orders" }, "ask"],
    ["data-analyst.jsonc", "warehouse", "execute_sql", {}, "ask"],
    ["researcher.jsonc", "fetch", "fetch", { url: "http://169.254.169.254/latest" }, "deny"],
    ["researcher.jsonc", "fetch", "fetch", { url: "https://example.org" }, "allow"],
    ["researcher.jsonc", "memory", "delete_entities", {}, "ask"],
  ])("the rules of %s say to %s.%s %j: %s", async (file, server, tool, args, action) => {
    const path = join(root, "examples/configs", file);
    const { policies } = await loadConfig({ path, env: { HOME: "/home/someone" } });
    const policy = await policyOf(policies.layers);
    expect(policy.decide({ kind: "tool", server, tool, args, via: "code" }).action).toBe(action);
  });
});
