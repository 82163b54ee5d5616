import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { servicesOf } from "../../src/app/services-of.ts";
import { readArguments } from "../../src/cli/line/arguments.ts";
import { readCallArguments } from "../../src/cli/line/call-arguments.ts";
import { policy } from "../../src/cli/policy.ts";
import type { Decision } from "../../src/policy/policy.ts";

// Every example of docs/policy.md says what it is said to say: the rules of its blocks, and the commands behind them.

const text = readFileSync(new URL("../../docs/policy.md", import.meta.url), "utf8");
const folder = mkdtempSync(join(tmpdir(), "policy-docs-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the servers of the examples list. None of them is started. */
const tools: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  github: { list_issues: { readOnlyHint: true }, create_issue: { destructiveHint: false }, delete_repo: {} },
  gmail: { send_mail: {}, search_mail: { readOnlyHint: true } },
  ...{ web: { fetch: {} }, crm: { export: {}, import: {}, purge: {} }, vault: { read_note: {} } },
};
const mcpServers = Object.fromEntries(Object.keys(tools).map((name) => [name, { command: "nothing", args: [name] }]));

interface Example {
  readonly blocks: readonly string[];
  readonly commands: readonly string[];
}

/** The blocks of rules that stand together, and the commands behind them. */
const examples = [...text.matchAll(/((?:^```jsonc\n.*?^```\n)+)^```sh\n(.*?)^```/gms)].map(
  ([, rules = "", lines = ""]): Example => {
    const blocks = [...rules.matchAll(/^```jsonc\n(.*?)^```/gms)].map(([, block = ""]) => block);
    return { blocks, commands: lines.trim().split("\n") };
  },
);

test("no example is left out", () => {
  expect(examples.flatMap(({ blocks }) => blocks)).toHaveLength(text.match(/^```jsonc$/gm)?.length ?? 0);
  expect(examples.flatMap(({ commands }) => commands)).toHaveLength(
    text.match(/^mcp-coordinator policy test .* # /gm)?.length ?? 0,
  );
  expect(examples.length).toBeGreaterThan(9);
});

/** A file with the rules of a block: the block names it, or it is the user's own. */
function write(place: string, block: string): void {
  const name = /^\/\/ (\S+\.json)\n/.exec(block)?.[1] ?? "config.json";
  const isWhole = /"coordinator"/.test(block);
  const content = isWhole || name.endsWith("/policy.json") ? block : `{ "coordinator": { "policy": ${block} } }`;
  const file =
    name === ".mcp.json" ? "project/.mcp.json" : name.endsWith("/policy.json") ? "managed.json" : "home/config.json";
  writeFileSync(join(place, file), content);
}

async function open({ blocks }: Example): Promise<Coordinator> {
  const place = mkdtempSync(join(folder, "example-"));
  for (const name of ["home", "project"]) mkdirSync(join(place, name));
  for (const block of blocks) write(place, block);
  // Its servers are those of the working folder, so that the project's file counts as one.
  if (!blocks.some((block) => block.includes("// .mcp.json"))) writeFileSync(join(place, "project/.mcp.json"), "{}");
  const file = join(place, "project/.mcp.json");
  const project = readFileSync(file, "utf8").trim();
  writeFileSync(
    file,
    project.replace(/\}$/, `${project === "{}" ? "" : ","} "mcpServers": ${JSON.stringify(mcpServers)} }`),
  );
  const env = { PATH: process.env["PATH"], MCP_COORDINATOR_HOME: join(place, "home") };
  const coordinator = await Coordinator.open({
    cwd: join(place, "project"),
    env,
    managedPolicy: join(place, "managed.json"),
  });
  const { libraries } = servicesOf(coordinator);
  for (const [server, named] of Object.entries(tools)) {
    const listed = Object.entries(named).map(([name, annotations]) => ({
      name,
      annotations,
      inputSchema: { type: "object" },
    }));
    await libraries.learn(libraries.server(server), { tools: listed });
  }
  return coordinator;
}

/** As a shell takes it apart. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(?:[^\s']|'[^']*')+/g)].map(([word]) => word.replaceAll("'", ""));
}

async function say(coordinator: Coordinator, command: string): Promise<Decision> {
  const [, , subCommand, ...words] = wordsOf(command);
  expect(subCommand).toBe("test");
  const { test: defined } = policy.subCommands ?? {};
  if (defined === undefined || typeof defined === "function") throw new Error("There is no policy test");
  const {
    _: given,
    args: json,
    via,
    kind,
  } = readArguments(words, defined.args) as unknown as Readonly<Record<string, string>> & { _: string[] };
  const [server, tool, ...pairs] = given;
  const input = { server, tool, args: await readCallArguments(pairs, json), via, kind };
  return ((await coordinator.run("test_policy", input)) as { decision: Decision }).decision;
}

function inWords({ action, rule, shadow }: Decision): string {
  const by = rule === undefined ? [] : [rule.startsWith("preset ") ? `by ${rule}` : `by rule "${rule}"`];
  const tried = shadow.map((one) => `tried out: ${one.rule}`);
  return [action, ...by, ...tried].join(", ");
}

test.each(examples.map((example) => [example.commands[0]?.replace(/ +#.*/, ""), example] as const))(
  "what is said there of %s and those behind it",
  async (_first, example) => {
    await using coordinator = await open(example);
    const expected = example.commands.map((line) => line.replace(/^.*# /, ""));
    const said = [];
    for (const line of example.commands) said.push(inWords(await say(coordinator, line.replace(/ +# .*/, ""))));
    expect(said).toEqual(expected);
  },
);
