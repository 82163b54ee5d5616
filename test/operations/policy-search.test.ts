import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Caller } from "../../src/actor.ts";
import type { Coordinator } from "../../src/app/coordinator.ts";
import { operationNamed, servicesOf } from "../../src/app/services-of.ts";
import { perform, textOf } from "../../src/operations/operation.ts";
import { folder, openCoordinator, ownServer } from "../open-coordinator.ts";

// What models, guests and people see of tools that rules are about. The server has send_mail, delete_file and read_file.

const mcpServers = { ledger: ownServer("ledger-server", join(folder, "ledger")) };
const deny = { id: "keep", match: { tool: "delete_*" }, action: "deny", reason: "files stay" };
const ask = { match: { tool: "send_*", args: { "/to": { not: "*@acme.com" } } }, action: "ask" };
let homes = 0;

async function open(policy: object, toolsets = ["code"]): Promise<Coordinator> {
  const coordinator = await openCoordinator({
    mcpServers,
    coordinator: { policy, toolsets },
    home: `policy-${++homes}`,
  });
  await servicesOf(coordinator).libraries.discover();
  return coordinator;
}

const caller: Caller = { id: "client", capabilities: {}, ask: () => Promise.reject(new Error("Nobody is asked")) };

async function asModel(coordinator: Coordinator, operation: string, input: object) {
  const presented = await perform(operationNamed(coordinator, operation), input, { caller, via: "call_tool" });
  return { text: textOf(presented), data: presented.data as Record<string, unknown> };
}

describe.each(["signatures", "full", "names"])("search with detail %s", (detail) => {
  test("does not offer what is denied, and says how much that is", async () => {
    const coordinator = await open({ rules: [deny, ask] });
    for (const input of [
      { server: "ledger" },
      { query: "delete a file" },
      { query: "delete_file" },
      { query: "/e/" },
    ]) {
      const { text, data } = await asModel(coordinator, "search_tools", { ...input, detail });
      expect(text).toContain("1 tool is left out: the user's rules deny it.");
      expect(JSON.stringify(data)).not.toContain("delete_file");
      expect(text).not.toMatch(/delete_file\(|: delete_file|, delete_file/);
      expect(data).toMatchObject({ denied: 1 });
    }
  });
});

test("names beside what was found, and of what there is, are those that can be called", async () => {
  const [plain, ruled] = [await open({}), await open({ rules: [deny] })];
  const named = async (coordinator: Coordinator) => {
    const found = await asModel(coordinator, "search_tools", { query: "send an email to somebody" });
    const servers = await asModel(coordinator, "search_tools", {});
    return [JSON.stringify(found.data["also"]), servers.text.split("\n")[0]];
  };
  expect(await named(plain)).toEqual([
    '[{"server":"ledger","names":["delete_file","read_file"]}]',
    "mcp_tools/ledger: 3 tools (send_mail, delete_file, read_file)",
  ]);
  expect(await named(ruled)).toEqual([
    '[{"server":"ledger","names":["read_file"]}]',
    "mcp_tools/ledger: 3 tools (send_mail, read_file)",
  ]);
});

test.each([
  ["typescript", "//"],
  ["python", "#"],
])("what a person is asked about is marked in %s, and nothing else", async (language, comment) => {
  const coordinator = await open({ rules: [ask] });
  for (const detail of ["signatures", "full"]) {
    const { text } = await asModel(coordinator, "search_tools", { server: "ledger", detail, language });
    const marked = text.split("\n").filter((line) => line.includes("asks"));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toMatch(new RegExp(`^send_mail\\(.*\\).* ${comment} asks$`));
  }
});

test("what is denied is shown and marked where the person wants that, and can be looked at", async () => {
  const coordinator = await open({ denied: "mark", rules: [deny] }, ["code", "discovery"]);
  const { text, data } = await asModel(coordinator, "search_tools", { server: "ledger" });
  expect(text).toMatch(/^delete_file\(.* \/\/ denied$/m);
  expect(data).toMatchObject({ total: 3 });
  expect(data).not.toHaveProperty("denied");
  const schema = await asModel(coordinator, "get_tool_schema", { server_name: "ledger", tool_name: "delete_file" });
  expect(schema.data).toMatchObject({ name: "delete_file" });
});

test("without rules that say something about a tool, search answers byte for byte what it answers without any", async () => {
  const other = { match: { server: "other" }, action: "deny" };
  const [plain, open_, about] = await Promise.all([open({}), open({ preset: "open" }), open({ rules: [other] })]);
  const inputs = [{}, { server: "ledger" }, { query: "mail" }, { query: "mail", detail: "full" }, { query: "xyzzy" }];
  for (const input of inputs) {
    const expected = await asModel(plain, "search_tools", input);
    expect(await asModel(open_, "search_tools", input)).toEqual(expected);
    expect(await asModel(about, "search_tools", input)).toEqual(expected);
  }
});

test("with everything denied search says so, and names nothing", async () => {
  const coordinator = await open({ preset: "locked" });
  for (const input of [
    { server: "ledger" },
    { query: "send mail", server: "ledger" },
    { query: "send_mail read_file", server: "ledger" },
  ]) {
    const { text, data } = await asModel(coordinator, "search_tools", input);
    expect(data).toMatchObject({ results: [], total: 0 });
    expect(text).toMatch(/tools? (is|are) left out: the user's rules deny/);
    expect(text).not.toMatch(/ledger\.\w+/);
  }
});

test("what is allowed is found behind any number of denied tools", async () => {
  const coordinator = await open({ rules: [{ match: { tool: ["send_mail", "delete_file"] }, action: "deny" }] });
  const { data } = await asModel(coordinator, "search_tools", { query: "tool", server: "ledger", limit: 1 });
  expect(data).toMatchObject({ results: [{ name: "read_file" }], denied: 2 });
});

describe("list_tools and get_tool_schema", () => {
  test("spare a model what is denied, with the rule for who asks for it by name", async () => {
    const coordinator = await open({ rules: [deny, ask] }, ["code", "discovery"]);
    const { text, data } = await asModel(coordinator, "list_tools", { server_name: "ledger" });
    expect(data).toMatchObject([{ name: "send_mail", policy: "asks" }, { name: "read_file" }]);
    expect(text).toContain("send_mail: The tool send_mail [asks]\n");
    expect(text).toContain("1 tool is left out: the user's rules deny it.");
    const schema = asModel(coordinator, "get_tool_schema", { server_name: "ledger", tool_name: "delete_file" });
    await expect(schema).rejects.toMatchObject({
      code: "tool_denied",
      message: 'ledger.delete_file is denied by the rule "keep": files stay',
    });
  });

  test("hide nothing from a person", async () => {
    const coordinator = await open({ rules: [deny] });
    const tools = await coordinator.run("list_tools", { server_name: "ledger" });
    expect(tools).toMatchObject([{ name: "send_mail" }, { name: "delete_file", policy: "denied" }, {}]);
    const schema = coordinator.run("get_tool_schema", { server_name: "ledger", tool_name: "delete_file" });
    await expect(schema).resolves.toMatchObject({ name: "delete_file" });
  });

  test("go by the faces that a client has", async () => {
    const rules = [{ match: { tool: "delete_*", via: "code" }, action: "deny" }];
    const seen = async (toolsets: string[]) => {
      const { data } = await asModel(await open({ rules }, toolsets), "search_tools", { server: "ledger" });
      return data["total"];
    };
    expect([await seen(["code"]), await seen(["code", "discovery"]), await seen(["discovery"])]).toEqual([2, 3, 3]);
  });

  test("go by a guest's own face, whatever its client has", async () => {
    const coordinator = await open({ rules: [{ match: { via: "code" }, action: "deny" }] }, ["code", "discovery"]);
    const code = `import { search } from "mcp_tools";
import { list_tools } from "mcp_tools/ledger";
[...await search("file or mail"), ...await list_tools()]`;
    expect(await coordinator.execute({ language: "typescript", code })).toMatchObject({ status: "ok", result: [] });
  });
});

test("a guest's own search and list leave out what it may not call; calling it names the rule", async () => {
  const coordinator = await open({ rules: [deny, ask] });
  const code = `import { search } from "mcp_tools";
import { list_tools, call } from "mcp_tools/ledger";
const found = await search("file or mail", { server: "ledger" });
const error = await call("delete_file", { path: "/x" }).catch((thrown) => thrown);
({ found: found.map((one) => [one.name, one.signature]), listed: await list_tools(), code: error.code, message: error.message, delivery: error.delivery })`;
  const run = await coordinator.execute({ language: "typescript", code });
  expect(run).toMatchObject({ status: "ok" });
  const { found, listed, ...error } = run.result as { found: [string, string][]; listed: object[] };
  expect(found.map(([name]) => name).sort()).toEqual(["read_file", "send_mail"]);
  expect(found.find(([name]) => name === "send_mail")?.[1]).toMatch(/ \/\/ asks$/);
  expect(listed).toEqual([
    { name: "send_mail", identifier: "send_mail", description: "The tool send_mail" },
    { name: "read_file", identifier: "read_file", description: "The tool read_file" },
  ]);
  expect(error).toMatchObject({ code: "tool_denied", delivery: "not_sent" });
  expect(error).toHaveProperty("message", expect.stringContaining('denied by the rule "keep": files stay'));
});

test("a change of the rules is seen by the next search", async () => {
  const coordinator = await open({});
  const { config } = servicesOf(coordinator);
  const total = async () => (await asModel(coordinator, "search_tools", { server: "ledger" })).data["total"];
  expect(await total()).toBe(3);
  const { writeFile } = await import("node:fs/promises");
  await writeFile(config.file ?? "", JSON.stringify({ mcpServers, coordinator: { policy: { rules: [deny] } } }));
  await expect.poll(total).toBe(2);
});
