import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cli, createHome, exitOf, server } from "./connect.ts";

// What an exposed server says arrives as it said it: seen on the wire, because every client of an SDK drops something.

const modernMeta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { code: number; message: string; data?: unknown };
}

interface Wire {
  readonly heard: Message[];
  send(method: string, params?: Record<string, unknown>): { readonly id: number; readonly answer: Promise<Message> };
  ask(method: string, params?: Record<string, unknown>): Promise<Message>;
  tell(method: string, params?: Record<string, unknown>): void;
  close(): Promise<unknown>;
}

function open(child: ChildProcess, isModern: boolean): Wire {
  const waiting = new Map<number, (message: Message) => void>();
  const heard: Message[] = [];
  let rest = "";
  let lastId = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const message = JSON.parse(line) as Message;
      if (message.id !== undefined && message.method === undefined) waiting.get(message.id)?.(message);
      else heard.push(message);
    }
  });
  const write = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const wrap = (params: Record<string, unknown>) =>
    isModern ? { ...params, _meta: { ...modernMeta, ...(params["_meta"] as object) } } : params;
  const wire: Wire = {
    heard,
    send(method, params = {}) {
      const id = ++lastId;
      write({ id, method, params: wrap(params) });
      return { id, answer: new Promise((resolve) => waiting.set(id, resolve)) };
    },
    ask: (method, params) => wire.send(method, params).answer,
    tell: (method, params = {}) => void write({ method, params: wrap(params) }),
    close() {
      child.stdin?.end();
      return exitOf(child);
    },
  };
  return wire;
}

async function expose(isModern: boolean, ...args: string[]): Promise<Wire> {
  const odd = { ...server("odd-server"), tools: { deny: ["forbidden"] } };
  const { config, home } = createHome({ odd });
  const child = spawn(process.execPath, [cli, "serve", "--config", config, ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { PATH: process.env["PATH"] ?? "", MCP_COORDINATOR_HOME: join(home, "data") },
  });
  const wire = open(child, isModern);
  if (isModern) return wire;
  const clientInfo = { name: "wire", version: "1" };
  await wire.ask("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
  wire.tell("notifications/initialized");
  return wire;
}

const oddTool = {
  name: "odd",
  title: "An odd tool",
  description: "Says what it was sent",
  icons: [{ src: "data:image/png;base64,AA==", vendorSize: 3 }],
  annotations: { readOnlyHint: true, vendorHint: "kept" },
  inputSchema: { type: "object", properties: { any: {} }, "x-vendor": [1, 2] },
  outputSchema: { type: "object", "x-vendor": true },
  _meta: { ui: { resourceUri: "ui://odd/view" }, "vendor/size": 500000 },
  vendorKey: { deep: [null, { a: 1 }] },
};
const oddContent = [
  { type: "text", text: "odd", annotations: { audience: ["user"], vendor: 1 }, _meta: { block: true } },
  { type: "hologram", data: { x: [1, 2, 3] } },
  { type: "resource_link", uri: "odd://thing", name: "thing", vendor: "kept" },
];

describe.each([
  ["before 2026-07-28", false],
  ["of 2026-07-28", true],
])("a client %s sees", (_name, isModern) => {
  let wire: Wire;
  beforeAll(async () => {
    wire = await expose(isModern, "--expose", "odd", "--toolsets", "code");
  });
  afterAll(() => wire.close());

  it("the tools as they are beside ours, those that may be called, of all pages", async () => {
    const { result } = await wire.ask("tools/list");
    const tools = result?.["tools"] as { name: string }[];
    expect(tools.map(({ name }) => name)).toEqual([
      "search_tools",
      "execute_code",
      "odd",
      "array",
      "wait",
      "fail",
      "change",
      "odd_execute_code",
    ]);
    const { execution, ...odd } = tools.find(({ name }) => name === "odd") as typeof oddTool & { execution?: unknown };
    expect(odd).toEqual(oddTool);
    // 2026-07-28 has no such key; its codec takes it out.
    expect(execution).toEqual(isModern ? undefined : { taskSupport: "optional" });
    expect(result?.["nextCursor"]).toBeUndefined();
    expect(Object.keys(result ?? {}).includes("ttlMs")).toBe(isModern);
  });

  it("arguments and results pass as they are", async () => {
    const args = { any: { deep: [1, null, "ü"] }, "x-y": 1e21 };
    const { result } = await wire.ask("tools/call", { name: "odd", arguments: args, _meta: { traceparent: "00-ab" } });
    expect(result?.["content"]).toEqual(oddContent);
    expect(result?.["structuredContent"]).toMatchObject({
      params: { name: "odd", arguments: args, _meta: { traceparent: "00-ab" } },
    });
    expect(result?.["vendorTop"]).toEqual({ kept: true });
    expect(result?.["_meta"]).toMatchObject({ "vendor/trace": "abc" });
    expect(result?.["resultType"]).toBe(isModern ? "complete" : undefined);
  });

  it("an array as structured content, in an object where the protocol wants one", async () => {
    const { result } = await wire.ask("tools/call", { name: "array" });
    expect(result?.["structuredContent"]).toEqual(isModern ? [1, "two", null] : { result: [1, "two", null] });
  });

  it("the server's own errors", async () => {
    const { error } = await wire.ask("tools/call", { name: "fail" });
    expect(error).toEqual({ code: -32099, message: "Oddly wrong", data: { why: ["odd"] } });
  });

  it("no tool that the configuration forbids", async () => {
    const { result } = await wire.ask("tools/call", { name: "forbidden" });
    expect(result?.["isError"]).toBe(true);
  });

  it("progress under its own token, and log messages", async () => {
    wire.heard.length = 0;
    const level = { "io.modelcontextprotocol/logLevel": "info" };
    if (!isModern) await wire.ask("logging/setLevel", { level: "info" });
    const _meta = { progressToken: "mine", ...(isModern && level) };
    await wire.ask("tools/call", { name: "odd", _meta });
    await vi.waitFor(() => expect(wire.heard).toHaveLength(3));
    expect(wire.heard.filter(({ method }) => method === "notifications/progress").map(({ params }) => params)).toEqual(
      [1, 2].map((progress) => expect.objectContaining({ progressToken: "mine", progress, total: 2, message: "odd" })),
    );
    expect(wire.heard.find(({ method }) => method === "notifications/message")?.params).toMatchObject({
      level: "warning",
      data: { odd: true },
      logger: "odd",
    });
  });

  it("that what it cancels is cancelled at the server", async () => {
    const { id } = wire.send("tools/call", { name: "wait" });
    await wire.ask("tools/call", { name: "array" });
    wire.tell("notifications/cancelled", { requestId: id });
    await vi.waitFor(async () => {
      const { result } = await wire.ask("tools/call", { name: "odd" });
      expect(result?.["structuredContent"]).toMatchObject({ cancelled: ["wait"] });
    });
  });

  it("resources, templates, prompts and completions", async () => {
    const lists = await Promise.all(
      ["resources/list", "resources/templates/list", "prompts/list"].map((m) => wire.ask(m)),
    );
    const [resources, templates, prompts] = lists.map(({ result }) => Object.values(result ?? {}).find(Array.isArray));
    expect(resources).toContainEqual({ uri: "odd://thing", name: "thing", vendor: [1] });
    expect(resources).toContainEqual(expect.objectContaining({ uri: "coordinator://capabilities" }));
    expect(templates).toContainEqual({ uriTemplate: "odd://{id}", name: "odds", vendor: 2 });
    expect(prompts).toContainEqual({ name: "odd_prompt", arguments: [{ name: "a", vendor: 1 }], vendor: 3 });
    const read = await wire.ask("resources/read", { uri: "odd://other" });
    expect(read.result).toMatchObject({
      contents: [{ uri: "odd://other", vendor: { kept: 1 }, _meta: { m: 1 } }],
      vendorTop: 1,
    });
    const ours = await wire.ask("resources/read", { uri: "servers://available" });
    expect(JSON.stringify(ours.result)).toContain('"count\\":1');
    const nothing = await wire.ask("resources/read", { uri: "nowhere://x" });
    expect(nothing.error).toMatchObject({ code: -32602, data: { uri: "nowhere://x" } });
    const prompt = await wire.ask("prompts/get", { name: "odd_prompt", arguments: { a: "1" } });
    expect(prompt.result).toMatchObject({
      messages: [{ content: { type: "hologram", params: { arguments: { a: "1" } } } }],
      vendorTop: 1,
    });
    const ref = { type: "ref/prompt", name: "odd_prompt" };
    const completion = await wire.ask("completion/complete", { ref, argument: { name: "a", value: "par" } });
    expect(completion.result).toMatchObject({ completion: { values: ["odd_prompt", "par"] } });
  });

  it("what has changed", async () => {
    wire.heard.length = 0;
    const wanted = ["tools", "prompts", "resources"].map((kind) => `notifications/${kind}/list_changed`);
    if (isModern) {
      const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      wire.send("subscriptions/listen", { notifications });
      await vi.waitFor(() => expect(wire.heard).toHaveLength(1));
    } else await wire.ask("resources/subscribe", { uri: "odd://thing" });
    await wire.ask("tools/call", { name: "change" });
    await vi.waitFor(() => expect(wire.heard.map(({ method }) => method)).toEqual(expect.arrayContaining(wanted)));
    if (isModern) return;
    const updated = () => wire.heard.filter(({ method }) => method === "notifications/resources/updated");
    expect(updated().map(({ params }) => params)).toEqual([{ uri: "odd://thing", vendor: 1 }]);
    await wire.ask("resources/unsubscribe", { uri: "odd://thing" });
    await wire.ask("tools/call", { name: "change" });
    expect(updated()).toHaveLength(1);
  });
});

it("an exposed server can stand alone, under a prefix, and is what the client is told of", async () => {
  const wire = await expose(false, "--expose", "odd=o_", "--toolsets", "none");
  const { result = {} } = await wire.ask("tools/list");
  expect((result["tools"] as { name: string }[]).map(({ name }) => name)).toEqual(
    ["odd", "array", "wait", "fail", "change", "execute_code"].map((name) => `o_${name}`),
  );
  const called = await wire.ask("tools/call", { name: "o_execute_code" });
  expect(called.result).toEqual({ content: [{ type: "text", text: "execute_code was called" }] });
  expect((await wire.ask("tools/call", { name: "odd" })).error).toMatchObject({ code: -32602 });
  expect((await wire.ask("resources/list")).result).toEqual({
    resources: [{ uri: "odd://thing", name: "thing", vendor: [1] }],
  });
  await wire.close();
});
