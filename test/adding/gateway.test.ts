// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is how configurations refer to variables
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { ElicitRequestParams } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Connected, cli, connect, createHome, official, processesUnder } from "../gateway/connect.ts";

const { command, args } = official("everything");
const places: { config: string; home: string }[] = [];
const createPlace = () => {
  const place = createHome({});
  places.push(place);
  return place;
};
const toolsets = { args: ["--toolsets", "code,registry"] };

/** A command in a terminal, beside the gateway. */
async function terminal({ config, home }: { config: string; home: string }, name: string, ...words: string[]) {
  const env = { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(home, "data") };
  const child = spawn(process.execPath, [cli, name, "--config", config, ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr, code: await code };
}

const echo = (server: string) => `import { echo } from "mcp_tools/${server}"; await echo({ message: "hi" })`;
const run = async ({ call }: Connected, code: string) => (await call("execute_code", { code })).structuredContent;
const names = async ({ call }: Connected) => {
  const { results } = (await call("search_tools")).structuredContent as { results: { name: string }[] };
  return results.map(({ name }) => name);
};
const everythings = ({ pid }: Connected) =>
  processesUnder(pid).filter((one) => readFileSync(`/proc/${one}/cmdline`, "utf8").includes("server-everything"));

describe("a gateway that runs", () => {
  const place = createPlace();
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(place, toolsets);
  });
  afterAll(() => gateway.client.close());

  test("has a server that a terminal adds, and its list of tools stays as it was", async () => {
    const before = await gateway.client.listTools();
    expect(await run(gateway, echo("late"))).toMatchObject({ status: "check_failed" });
    const added = await terminal(place, "add", "late", "--yes", "--", command, ...args);
    expect(added).toMatchObject({ code: 0, stdout: expect.stringMatching(/^echo +Echoes back/m) });
    expect(added.stderr).toContain(`command: ${command} ${args[0]}`);
    await vi.waitFor(async () => expect(await names(gateway)).toEqual(["late"]), { timeout: 20_000, interval: 200 });
    expect(await run(gateway, echo("late"))).toMatchObject({ status: "ok", result: "Echo: hi" });
    expect(await gateway.client.listTools()).toEqual(before);
  });

  test("goes on with the last good file when it is half written", async () => {
    const good = readFileSync(place.config, "utf8");
    writeFileSync(place.config, good.slice(0, 40));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await run(gateway, echo("late"))).toMatchObject({ status: "ok" });
    writeFileSync(place.config, good);
  });

  test("lets a call finish whose server is removed, then ends that server", async () => {
    const code = `import { call } from "mcp_tools/late";
      await call("trigger-long-running-operation", { duration: 4, steps: 4 })`;
    const running = run(gateway, code);
    await vi.waitFor(() => expect(everythings(gateway)).toHaveLength(1), { timeout: 10_000 });
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await terminal(place, "remove", "late", "--yes")).toMatchObject({ code: 0 });
    await vi.waitFor(async () => expect(await names(gateway)).toEqual([]), { timeout: 20_000, interval: 200 });
    expect(await running).toMatchObject({ status: "ok", result: expect.stringContaining("completed") });
    await vi.waitFor(() => expect(everythings(gateway)).toEqual([]), { timeout: 10_000 });
    expect(await run(gateway, echo("late"))).toMatchObject({ status: "check_failed" });
  });
});

test("terminals that add at the same time lose nothing of each other", async () => {
  const place = createPlace();
  const wanted = ["a", "b", "c"];
  const add = (name: string) =>
    terminal(place, "add", name, "--yes", "--no-connect", "--url", `https://${name}.example/mcp`);
  const codes = await Promise.all(wanted.map(async (name) => (await add(name)).code));
  expect(codes).toEqual([0, 0, 0]);
  const { mcpServers } = JSON.parse(readFileSync(place.config, "utf8"));
  expect(Object.keys(mcpServers).toSorted()).toEqual(wanted);
});

describe.each([
  ["of old", false],
  ["of today", true],
])("a client %s that asks the user", (_name, modern) => {
  const place = createPlace();
  const asked: ElicitRequestParams[] = [];
  let action: "accept" | "decline" = "accept";
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(place, {
      ...toolsets,
      modern,
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params);
          return action === "accept" ? { action, content: {} } : { action };
        }),
    });
  });
  afterAll(() => gateway.client.close());

  test("adds when the user has seen the whole command and agreed, and code uses it at once", async () => {
    action = "accept";
    const env = { MEMORY_FILE_PATH: "~/.bashrc", TOKEN: "Bearer ${PATH}" };
    const added = await gateway.call("mcp_add", { name: "told", command, args, env });
    expect(added.structuredContent).toMatchObject({
      name: "told",
      tools: expect.arrayContaining([expect.objectContaining({ name: "echo" })]),
    });
    const message = asked.at(-1)?.message;
    expect(message).toContain(`command: ${command} ${args.join(" ")}`);
    // What the model wrote is not a secret from the user; what it refers to is not read.
    expect(message).toContain("\n  environment: 'MEMORY_FILE_PATH=~/.bashrc'\n");
    expect(message).toContain("\n  environment: 'TOKEN=Bearer ${PATH}'\n");
    expect(await run(gateway, echo("told"))).toMatchObject({ status: "ok", result: "Echo: hi" });
  });

  test.skipIf(modern)("adds nothing when the user says no, and removes nothing", async () => {
    action = "decline";
    const before = readFileSync(place.config, "utf8");
    const refused = await gateway.call("mcp_add", { name: "no", command, args });
    expect(refused.structuredContent).toMatchObject({ error: { code: "consent_missing" } });
    expect(await gateway.call("mcp_remove", { name: "told" })).toMatchObject({ isError: true });
    expect(readFileSync(place.config, "utf8")).toBe(before);
  });

  test("is asked when code wants a server, too", async () => {
    const code = `import { registry } from "coordinator";
      await registry.add("other", { command: ${JSON.stringify(command)}, args: ${JSON.stringify(args)} })`;
    action = "decline";
    const before = asked.length;
    expect(await run(gateway, code)).toMatchObject({
      status: "error",
      error: { message: expect.stringContaining("did not agree") },
    });
    expect(asked).toHaveLength(before + 1);
    action = "accept";
    expect(await run(gateway, code)).toMatchObject({ status: "ok", result: { name: "other", module: "other" } });
  });
});

test("a client that cannot ask gets the command for the user, and nothing is added", async () => {
  const place = createPlace();
  await using gateway = await connect(place, toolsets);
  const found = await gateway.call("mcp_find", { query: "time zones" });
  expect(found.content[0]).toMatchObject({ text: expect.stringContaining("io.github.yokingma/time-mcp") });
  const refused = await gateway.call("mcp_add", { name: "io.github.yokingma/time-mcp", args: ["it's"] });
  const { error } = refused.structuredContent as { error: { code: string; hint: string } };
  expect(error.code).toBe("consent_missing");
  expect(error.hint).toContain(
    `mcp-coordinator add io.github.yokingma/time-mcp --config=${place.config} '--arg=it'\\''s'`,
  );
  expect(JSON.parse(readFileSync(place.config, "utf8"))).toMatchObject({ mcpServers: {} });
});

describe("what a model wants to add", () => {
  const place = createPlace();
  const asked: string[] = [];
  let gateway: Connected;
  beforeAll(async () => {
    gateway = await connect(place, {
      ...toolsets,
      capabilities: { elicitation: {} },
      prepare: (client) =>
        client.setRequestHandler("elicitation/create", ({ params }) => {
          asked.push(params.message);
          return { action: "decline" };
        }),
    });
  });
  afterAll(() => gateway.client.close());
  const refusal = async (input: object) => {
    asked.length = 0;
    const { structuredContent } = await gateway.call("mcp_add", { name: "x", ...input });
    const { error } = structuredContent as { error: { code: string; message: string; hint?: string } };
    return { ...error, shown: asked[0]?.split("\n").map((line) => line.trim()) };
  };

  test("is shown with its values, and a caution for variables that change what runs", async () => {
    const env = { MEMORY_FILE_PATH: "~/.bashrc", NODE_OPTIONS: "--require /tmp/x.js", GIT_SSH_COMMAND: "sh -c 'id'" };
    const { shown } = await refusal({ command: "node", args: ["a b"], env });
    expect(shown).toEqual([
      `Add the MCP server "x" to ${place.config}?`,
      "command: node 'a b'",
      "environment: 'MEMORY_FILE_PATH=~/.bashrc'",
      "environment: 'NODE_OPTIONS=--require /tmp/x.js'",
      "environment: 'GIT_SSH_COMMAND=sh -c '\\''id'\\'''",
      "caution: NODE_OPTIONS, GIT_SSH_COMMAND can change which code it runs or whom it trusts",
      "It runs with your rights, outside the sandbox.",
    ]);
    const remote = await refusal({ url: "https://h.example/mcp", headers: { "X-Key": "abc" } });
    expect(remote.shown?.slice(1, 3)).toEqual(["url: https://h.example/mcp", "headers: X-Key=abc"]);
  });

  test.each([
    ["a hidden character in a value", { env: { A: "a\u202eb" } }, "a character that is not shown"],
    ["a line end in a value", { env: { A: "a\nb" } }, "a character that is not shown"],
    ["more than can be shown", { env: { A: "x".repeat(5000) } }, "more than 4000"],
    ["blanks that push the rest out of sight", { args: [`a${" ".repeat(200)}b`] }, "too many blanks"],
  ])("is not asked about when it has %s", async (_what, input, why) => {
    const { code, message, shown } = await refusal({ command: "node", ...input });
    expect([code, message, shown]).toEqual(["input_invalid", expect.stringContaining(why), undefined]);
  });

  const env = { MEMORY_FILE_PATH: "~/.bashrc", B: "x=$(id)`id`" };
  const headers = { Authorization: "Bearer a b", "X-Y": "=;&" };
  test.each<[what: string, name: string, entry: object]>([
    ["values", "x", { command: "node", args: ["-e", "a  'b' $HOME {c,d}"], env }],
    ["headers", "y", { url: "https://h.example/mcp", headers }],
  ])("can be done by the command that is offered after a refusal: %s", async (_what, name, entry) => {
    const { hint = "" } = await refusal({ as: name, ...entry });
    const [, line = ""] = /^The user can do it in a terminal: mcp-coordinator (add .*)$/.exec(hint) ?? [];
    const variables = { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(place.home, "data") };
    const script = `"${process.execPath}" "${cli}" ${line.replace("add x", "add x --yes --no-connect")}`;
    const child = spawn("/bin/sh", ["-c", script], { env: variables, stdio: ["ignore", "pipe", "pipe"] });
    const said = await text(child.stderr);
    expect(JSON.parse(readFileSync(place.config, "utf8")).mcpServers[name], said).toEqual(entry);
  });

  test("has no command where no command would do the same", async () => {
    const { code, hint } = await refusal({ as: "z", url: "https://h.example/mcp", headers: { A: " b" } });
    expect([code, hint]).toEqual(["consent_missing", undefined]);
  });
});
