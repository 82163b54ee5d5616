import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { connect } from "../gateway/connect.ts";
import { Place } from "./command.ts";

const ledger = (place: Place) => ({
  command: process.execPath,
  args: [fileURLToPath(new URL("../servers/ledger-server.mjs", import.meta.url)), join(place.folder, "ledger")],
});
const keep = { id: "keep", match: { tool: "delete_*" }, action: "deny", reason: "files stay" };
const slip = { match: { server: "ledgre", tool: "send_mail" }, action: "ask" };

function placeWith(policy: object): Place & { config: string } {
  const place = new Place();
  const content = { mcpServers: { ledger: ledger(place) }, coordinator: { policy } };
  return Object.assign(place, { config: place.write("mcp_servers.json", JSON.stringify(content)) });
}

test("rules are shown, tried and checked; lint exits 1 when it finds something, and says the nearest name", async () => {
  using place = placeWith({ rules: [keep, slip] });
  const { config } = place;
  const show = await place.run("policy", "show", "--config", config);
  expect(show).toMatchObject({ stderr: "", code: 0 });
  expect(show.stdout).toContain(`\nuser  ${config}\n  1. deny  "keep"  {"tool":"delete_*"}  (files stay)\n  2. ask`);
  const tried = await place.run("policy", "test", "ledger", "delete_file", "path=/x", "--config", config);
  expect(tried.stdout.split("\n")[0]).toBe(
    `deny: ledger.delete_file via code, by rule "keep" (${config}: coordinator.policy.rules[0]): files stay`,
  );
  expect(tried.code).toBe(0);
  const lint = await place.run("policy", "lint", "--config", config);
  expect(lint).toMatchObject({ stderr: "", code: 1 });
  expect(lint.stdout).toContain(
    `${config}: coordinator.policy.rules[1] names no configured server: "ledgre". Did you mean "ledger"?\n2 rules, 1 finding\n`,
  );
  const data = JSON.parse((await place.run("policy", "lint", "--json", "--config", config)).stdout) as object;
  expect(data).toMatchObject({ findings: [{ origin: "user", path: "policy.rules[1]" }] });
});

test("lint exits 0 when there is nothing to say, and a project's rule that allows is something", async () => {
  using place = placeWith({ rules: [{ ...keep, action: "allow" }] });
  expect((await place.run("policy", "lint", "--config", place.config)).code).toBe(0);
  const inFolder = await place.run("policy", "lint");
  expect(inFolder.stdout).toContain("has no effect on other rules: a project may only tighten");
  expect(inFolder.code).toBe(1);
});

test("a replay decides what was called, with a draft in place of the rules", async () => {
  using place = placeWith({ rules: [keep] });
  const { config } = place;
  await place.run("call", "ledger", "read_file", "path=/x", "--config", config);
  await place.run("call", "ledger", "delete_file", "path=/x", "--config", config);
  const same = await place.run("policy", "replay", "--config", config);
  expect(same.stdout).toMatch(/^2 calls of 2 runs since .*\n0 would change\n2 would be decided as they were\n$/);
  const draft = place.write(
    "draft.json",
    '{ "rules": [{ "id": "reads", "match": { "tool": "read_*" }, "action": "ask" }] }',
  );
  const { stdout, code } = await place.run("policy", "replay", "--since", "1h", "--rules", draft, "--config", config);
  expect(code).toBe(0);
  expect(stdout).toMatch(/ {2}ledger\.read_file {2}allow → ask, rule "reads" {2}run r\w+\n/);
  expect(stdout).toMatch(/ {2}ledger\.delete_file {2}deny → allow, no longer rule "keep" {2}run r\w+\n/);
  const wrong = await place.run("policy", "replay", "--since", "soon", "--config", config);
  expect(wrong).toMatchObject({ stdout: "", code: 2 });
  expect(wrong.stderr).toContain('"soon" is not a time in the past');
});

test("tools and generate hide nothing from a person, and mark what rules deny or ask about", async () => {
  using place = placeWith({ rules: [keep, { match: { tool: "send_*" }, action: "ask" }] });
  const { config } = place;
  const typescript = (await place.run("tools", "ledger", "--config", config)).stdout;
  expect(typescript).toMatch(/^export declare function send_mail\(.*; \/\/ asks$/m);
  expect(typescript).toMatch(/^export declare function delete_file\(.*; \/\/ denied$/m);
  expect(typescript).toMatch(/^export declare function read_file\(.*;$/m);
  const python = (await place.run("tools", "ledger", "--python", "--config", config)).stdout;
  expect(python).toMatch(/^def delete_file\(.*: {2}# denied$/m);
  await place.run("generate", "--config", config);
  for (const [file, marked] of [
    ["ledger.d.ts", /delete_file\(.*; \/\/ denied$/m],
    ["ledger.pyi", /delete_file\(.*: {2}# denied$/m],
    ["aio/ledger.pyi", /send_mail\(.*: {2}# asks$/m],
  ] as const) {
    expect(readFileSync(join(place.folder, "mcp_tools", file), "utf8")).toMatch(marked);
  }
});

test("wrong rules stop every command that would go by them, with all that is wrong", async () => {
  using place = placeWith({
    rules: [
      { match: { tols: "x" }, action: "deny" },
      { ...keep, match: { when: "1 +" } },
    ],
  });
  for (const words of [
    ["policy", "show"],
    ["policy", "test", "a", "b"],
    ["call", "ledger", "read_file"],
  ]) {
    const { stdout, stderr, code } = await place.run(...words, "--config", place.config);
    expect({ stdout, code }).toEqual({ stdout: "", code: 1 });
    expect(stderr).toContain("tols");
  }
});

test("doctor names the rules, what is odd about them, and that they cannot be read", async () => {
  using place = placeWith({ rules: [keep, slip] });
  const findings = async () => {
    const { stdout, code } = await place.run("doctor", "--json", "--config", place.config);
    return { found: JSON.parse(stdout) as { area: string; status: string; message: string }[], code };
  };
  const { found } = await findings();
  expect(found.filter(({ area }) => area === "policy")).toMatchObject([
    { status: "ok", message: expect.stringMatching(/^2 rules in 1 file, policy [0-9a-f]{12}$/) },
    {
      status: "warn",
      message: 'coordinator.policy.rules[1] names no configured server: "ledgre". Did you mean "ledger"?',
    },
  ]);
  writeFileSync(place.config, '{ "coordinator": { "policy": { "rules": 5 } } }');
  const broken = await findings();
  expect(broken.code).toBe(1);
  expect(broken.found[0]).toMatchObject({
    area: "config",
    status: "fail",
    message: expect.stringContaining("policy.rules"),
  });
});

test("a gateway's log tells slips once, and of rules that break: the last ones hold, and the next run says so once", async () => {
  using place = placeWith({ rules: [keep, slip] });
  const child = place.start(["serve", "--config", place.config]);
  onTestFinished(() => void child.kill());
  let log = "";
  child.stderr.on("data", (chunk) => {
    log += chunk;
  });
  const said = (what: string) => vi.waitFor(() => expect(log).toContain(what), { timeout: 30_000 });
  await said('names no configured server: "ledgre". Did you mean "ledger"?');
  const rules = (content: object) =>
    writeFileSync(
      place.config,
      JSON.stringify({ mcpServers: { ledger: ledger(place) }, coordinator: { policy: content } }),
    );
  rules({ rules: [{ ...keep, action: "forbid" }] });
  await said("The rules cannot be read as they are now, and those from before stay in force: ");
  rules({ rules: [keep] });
  await said("The rules can be read again.");
  await said("Other rules count from now on (policy ");
  expect(log.match(/names no configured server/g)).toHaveLength(1);
  expect(log).not.toContain("other settings count from the next start");
});

test("a run says once that the rules have broken, and goes by those from before", async () => {
  using place = placeWith({ rules: [keep] });
  await using gateway = await connect({ config: place.config, home: place.folder });
  const code = `import { delete_file } from "mcp_tools/ledger";
await delete_file({ path: "/x" }).catch((error) => error.code)`;
  const run = async () => (await gateway.call("execute_code", { code })).structuredContent;
  expect(await run()).toMatchObject({ result: "tool_denied" });
  writeFileSync(place.config, "{ broken");
  const [first, second] = [await run(), await run()];
  expect(first).toMatchObject({ result: "tool_denied" });
  expect(first["notices"]).toEqual([expect.stringContaining("those from before stay in force")]);
  expect(second).toMatchObject({ result: "tool_denied" });
  expect(second).not.toHaveProperty("notices");
});
