import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Coordinator } from "../../src/app/coordinator.ts";
import { operationsOf } from "../../src/app/services-of.ts";
import type { Decided } from "../../src/door/gate.ts";
import { openPolicyInForce, type PolicyLayer } from "../../src/door/policy-in-force.ts";
import { policyOperations } from "../../src/operations/policy/policy-operations.ts";
import type { Services } from "../../src/operations/services.ts";
import type { Rule } from "../../src/policy/rule.ts";
import { temporaryFolder } from "../stores/open-stores.ts";
import { createServices, runnerOf } from "./services.ts";

// On stores in memory; there is a server "data" with a tool "orders".

const layer = (more: Partial<PolicyLayer>): PolicyLayer => ({
  ...{ origin: "user", file: "/home/ann/config.json", path: ["coordinator", "policy"], trust: [], rules: [] },
  ...more,
});
const inForce = (layers: readonly PolicyLayer[]) =>
  openPolicyInForce({ layers, hasChanged: () => false, read: async () => layers });

async function open(...layers: readonly Partial<PolicyLayer>[]) {
  const { services, journal } = await createServices();
  const policy = await inForce(layers.map(layer));
  const servers = { entries: async () => ({ data: {}, switched_off: {} }) };
  const parts: Partial<Services> = {
    ...services,
    policy,
    servers: servers as Partial<Services["servers"]> as Services["servers"],
  };
  const run = runnerOf(policyOperations(parts as Services));
  let runs = 0;
  /** A run in the journal that made these calls. */
  const record = async (
    calls: readonly { tool?: string; args?: string; decided?: Decided; kind?: "own"; server?: string }[],
    via: "code" | "cli" | "unknown" = "code",
  ) => {
    const id = `r${String(++runs).padStart(6, "0")}`;
    await journal.startRun({
      id,
      language: "typescript",
      engine: "deno",
      code: "",
      via: via === "unknown" ? undefined : via,
    });
    for (const { tool = "orders", args = "{}", server = "data", ...call } of calls) {
      journal.settle(journal.intend({ run: id, server, tool, args, argsHash: "h", ...call }), {
        outcome: "ok",
        milliseconds: 1,
      });
    }
    await journal.finishRun(id, { status: "ok", calls: calls.length, resultBytes: 0, stdoutBytes: 0 });
    return id;
  };
  return { run, record, journal };
}
const rule = (more: Partial<Rule>): Rule => ({ match: {}, action: "deny", ...more });

test("neither a model nor a guest has any of it", async () => {
  await using coordinator = await Coordinator.open({
    mayBeMissing: true,
    cwd: temporaryFolder(),
    env: { MCP_COORDINATOR_HOME: temporaryFolder() },
  });
  const operations = operationsOf(coordinator).filter(({ name }) => name.endsWith("_policy"));
  expect(operations.map(({ name }) => name)).toEqual(["show_policy", "test_policy", "lint_policy", "replay_policy"]);
  for (const { toolset, guest } of operations) expect([toolset, guest]).toEqual([undefined, undefined]);
});

test("a test tells the decision, its rule and where that stands, what each layer says, and what is only tried out", async () => {
  const { run } = await open(
    { origin: "managed", file: "/etc/policy.json", path: [], preset: "open" },
    {
      rules: [
        rule({ id: "draft", shadow: true }),
        rule({
          id: "big",
          match: { args: { "/limit": { min: 100 } } },
          action: "ask",
          reason: "much at once",
          approver: "cli",
        }),
      ],
    },
    { origin: "project", file: "/work/.mcp.json" },
  );
  expect(await run("test_policy", { server: "data", tool: "orders", args: { limit: 500 } })).toMatchObject({
    act: { kind: "tool", via: "code" },
    decision: {
      ...{ action: "ask", rule: "big", origin: "user", reason: "much at once", approver: "cli" },
      ...{ file: "/home/ann/config.json", path: "coordinator.policy.rules[1]" },
      shadow: [{ rule: "draft", action: "deny" }],
    },
    layers: [
      { origin: "managed", file: "/etc/policy.json", action: "allow", rule: "preset open" },
      { origin: "user", action: "ask", rule: "big", path: "coordinator.policy.rules[1]" },
      { origin: "project", file: "/work/.mcp.json" },
    ],
    notes: [],
  });
  const below = await run("test_policy", { server: "data", tool: "orders", args: { limit: 5 } });
  expect(below).toMatchObject({ decision: { action: "allow", rule: "preset open" } });
});

test("a test says what else stands in the way, or was not known", async () => {
  const { run } = await open();
  const notes = async (server: string, tool: string) =>
    ((await run("test_policy", { server, tool })) as { notes: readonly string[] }).notes;
  expect(await notes("dta", "orders")).toEqual(['No server "dta" is configured. Did you mean "data"?']);
  expect(await notes("data", "order")).toEqual(['"data" has no tool "order". Did you mean "orders"?']);
  expect(await notes("data", "orders")).toEqual([]);
});

test("what is tested of the server coordinator is an act of our own", async () => {
  const rules = [rule({ id: "pack", match: { kind: "own", tool: "packages.*" } })];
  const { run } = await open({ rules });
  const own = await run("test_policy", { server: "coordinator", tool: "packages.install" });
  expect(own).toMatchObject({ act: { kind: "own" }, decision: { action: "deny", rule: "pack" }, notes: [] });
  const tool = await run("test_policy", { server: "coordinator", tool: "packages.install", kind: "tool" });
  expect(tool).toMatchObject({ decision: { action: "allow" } });
});

test("lint knows servers that are switched off, and the tools of those that are not", async () => {
  const rules = [
    rule({ match: { server: "switched_off", tool: "anything" } }),
    rule({ match: { server: "dta" } }),
    rule({ match: { server: "data", tool: "ordrs" } }),
  ];
  const { run } = await open({ rules });
  const { findings } = (await run("lint_policy", {})) as { findings: { path: string; message: string }[] };
  expect(findings.map(({ path, message }) => [path, message])).toEqual([
    ["policy.rules[1]", 'names no configured server: "dta". Did you mean "data"?'],
    ["policy.rules[2]", 'names no tool that there is: "ordrs". Did you mean "orders"?'],
  ]);
});

test("a replay counts what would change, by decision, and names each call with its old and its new rule", async () => {
  const rules = [
    rule({ id: "big", match: { args: { "/limit": { min: 100 } } }, action: "ask" }),
    rule({ id: "drafted", match: { tool: "orders" }, shadow: true }),
    rule({ id: "cli", match: { via: "cli" } }),
  ];
  const { run, record } = await open({ rules });
  const old = (decision: Decided["decision"], name: string, policy?: string): Decided => ({
    decision,
    rule: name,
    policy,
  });
  await record([{ args: '{"limit":5}' }, { args: '{"limit":500}' }]);
  const second = await record([
    { args: '{"limit":500}', decided: old("ask", "former", "p") },
    { args: '{"limit":5}', decided: old("deny", "former", "p") },
    { decided: old("deny", "lists") },
    { args: '{"limit":50… (20 characters)' },
    { kind: "own", server: "coordinator", tool: "skills.save" },
  ]);
  await record([{ args: "{}" }], "cli");
  await record([{}], "unknown");
  const replayed = await run("replay_policy", {});
  expect(replayed).toMatchObject({
    ...{ runs: 4, calls: 9, same: 3, changed: 3, undecided: 2, stoppedBefore: 1, unreadable: 0 },
    changes: { "allow → deny": 1, "deny → allow": 1, "allow → ask": 1 },
    shadow: { "drafted: deny": 3 },
  });
  const { examples } = replayed as { examples: { from: object; to: object; run: string }[] };
  expect(examples.find(({ run: of }) => of === second)).toMatchObject({
    ...{ server: "data", tool: "orders" },
    from: { action: "deny", rule: "former" },
    to: { action: "allow", rule: "" },
  });
  expect(await run("replay_policy", { limit: 1 })).toMatchObject({ changed: 3, examples: [{}] });
});

test("a replay reads long arguments whole, and the journal page by page", async () => {
  const rules = [rule({ id: "end", match: { args: { "/end": "x" } } })];
  const { run, record } = await open({ rules });
  await record([{ args: JSON.stringify({ a: "a".repeat(30_000), end: "x" }) }]);
  for (let made = 0; made < 250; made++) await record([{}]);
  expect(await run("replay_policy", {})).toMatchObject({ runs: 251, calls: 251, same: 250, changed: 1 });
});

test("a replay leaves out runs from before, and takes a draft in place of the user's rules alone", async () => {
  const { run, record } = await open(
    { origin: "managed", rules: [rule({ id: "top", match: { tool: "drop" } })] },
    { rules: [rule({ id: "mine" })] },
    { origin: "project", rules: [rule({ id: "theirs", match: { tool: "push" }, action: "ask" })] },
  );
  await record([{ tool: "orders" }, { tool: "drop" }, { tool: "push" }]);
  const file = join(temporaryFolder(), "draft.json");
  const draft = { rules: [{ id: "draft", match: { tool: "orders" }, action: "ask" }] };
  for (const content of [draft, { coordinator: { policy: draft } }]) {
    writeFileSync(file, JSON.stringify(content));
    expect(await run("replay_policy", { rules: file })).toMatchObject({
      ...{ draft: file, changes: { "allow → ask": 2, "allow → deny": 1 } },
      examples: [{ to: { rule: "draft" } }, { to: { rule: "top" } }, { to: { rule: "theirs" } }],
    });
  }
  expect(await run("replay_policy", { since: "2999-01-01" })).toMatchObject({ runs: 0, calls: 0 });
  writeFileSync(file, '{ "rules": [{ "match": { "tols": "x" }, "action": "ask" }] }');
  const wrong = run("replay_policy", { rules: file });
  await expect(wrong).rejects.toMatchObject({ code: "config_invalid", message: expect.stringContaining("tols") });
});
