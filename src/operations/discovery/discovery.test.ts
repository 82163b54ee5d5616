import { expect, test } from "vitest";
import { local } from "../../actor.ts";
import { perform, runOperation, textOf } from "../operation.ts";
import type { Services } from "../services.ts";
import { callTool, getToolSchema, listServers, listTools } from "./discovery.ts";

const tool = { name: "get-user", identifier: "get_user", description: "A user", inputSchema: {} };
const listing = {
  library: { server: "git", module: "git", description: "", tools: [tool] },
  tools: new Map([[tool.name, tool]]),
  skipped: [],
};
const services = {
  libraries: {
    inventory: async () => [
      { name: "git", module: "git", description: "repositories", tools: 1 },
      { name: "mail", module: "mail", description: "" },
      { name: "wiki", module: "wiki", description: "" },
    ],
    leftOut: [{ name: "crm", module: "crm", transport: "http", reason: "CRM_KEY is not set", fix: "Set it." }],
    server: () => ({ transport: "stdio" }),
    get: async () => listing,
  },
  upstreams: { state: () => ({ state: "ready" }) },
  pins: {
    servers: { load: async () => new Map([["wiki", { name: "wiki", state: "unaccepted", written: { url: "u" } }]]) },
  },
  servers: { file: ".mcp.json" },
  observations: { shown: (library: unknown) => library },
  policy: { now: () => ({ isSilent: true }) },
  config: { toolsets: [] },
} as unknown as Services;
const limited = { may: { servers: new Set(["mail"]) } };

test("servers and tools are lines for a model and lists for a program", async () => {
  const servers = await perform(listServers(services), {});
  expect(servers.text?.split("\n")).toEqual([
    "git (stdio, ready, 1 tool): repositories",
    "mail (stdio, ready, tools not known yet)",
    expect.stringMatching(
      /^wiki \(stdio, unaccepted, tools not known yet\).*nobody has accepted it .*pins accept wiki/,
    ),
    "crm (http, left out): CRM_KEY is not set. Set it.",
  ]);
  expect(servers.data).toMatchObject([
    { name: "git", transport: "stdio", state: "ready" },
    { name: "mail" },
    { name: "wiki", state: "unaccepted" },
    { name: "crm", state: "left out" },
  ]);
  const { text, data } = await perform(listTools(services), { server_name: "git" });
  expect([text, data]).toEqual([
    "get-user: A user",
    [{ name: "get-user", identifier: "get_user", description: "A user" }],
  ]);
});

test("a run that is limited to some servers learns nothing of the others", async () => {
  expect(await runOperation(listServers(services), {}, limited)).toMatchObject([{ name: "mail" }]);
  const denied = { code: "tool_denied", message: 'This run may not use the server "git"' };
  await expect(runOperation(listTools(services), { server_name: "git" }, limited)).rejects.toMatchObject(denied);
  const schema = runOperation(getToolSchema(services), { server_name: "git", tool_name: "get-user" }, limited);
  await expect(schema).rejects.toMatchObject(denied);
});

const answered = (value: unknown, result: object) => {
  const dispatch = async () => ({ result, unwrapped: { value: JSON.stringify(value) } });
  return perform(callTool({ dispatch } as unknown as Services), { server_name: "s", tool_name: "t" }, local);
};

test("a call is presented with the server's own content, and says what the data was made of", async () => {
  const content = [{ type: "text", text: "hi" }];
  expect(await answered("hi", { content })).toEqual({
    data: "hi",
    text: "hi",
    content,
    meta: { "mcp-coordinator/made-of-content": true },
  });
  const { data, text, meta } = await answered({ a: 1 }, { structuredContent: { a: 1 }, content: [], _meta: { m: 1 } });
  expect([data, text, meta]).toEqual([{ a: 1 }, '{"a":1}', { m: 1 }]);
  expect((await answered(null, { content: "none" })).content).toEqual([]);
});

test("what has no text of its own is told as its data", async () => {
  const shown = await perform(getToolSchema(services), { server_name: "git", tool_name: "get-user" });
  expect(JSON.parse(textOf(shown))).toEqual(tool);
});
