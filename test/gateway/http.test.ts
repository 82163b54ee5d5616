import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { text } from "node:stream/consumers";
import { LOG_LEVEL_META_KEY } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, server } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

let gateway: HttpGateway;
beforeAll(async () => {
  const fleet = {
    data: server("data-server"),
    faulty: server("faulty-server"),
    broken: { command: "no-such-program" },
  };
  gateway = await serveHttp(createHome(fleet, { http: { names: ["mcp.example.org"] } }), "--toolsets", "code,runs");
});
afterAll(() => gateway[Symbol.asyncDispose]());

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "hand", version: "1" } },
};
const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };

const eras = [
  ["2025-11-25", false],
  ["2026-07-28", true],
] as const;

describe.each(eras)("a client of %s", (version, modern) => {
  test("finds the tools, the guide and the prompts, and runs code", async () => {
    await using connected = await gateway.connect({ modern });
    const { client } = connected;
    expect(client.getNegotiatedProtocolVersion()).toBe(version);
    expect(client.getInstructions()).toContain("search_tools");
    expect(client.getServerVersion()).toMatchObject({
      name: "mcp-coordinator",
      icons: [{ mimeType: "image/svg+xml" }],
    });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "search_tools",
      "execute_code",
      "list_runs",
      "get_run",
      "resume_run",
      "cancel_run",
    ]);
    expect(tools[5]?.annotations).toEqual({ readOnlyHint: false, idempotentHint: true, openWorldHint: false });
    const { structuredContent } = await connected.call("execute_code", { code: "1 + 1" });
    expect(structuredContent).toMatchObject({ status: "ok", result: 2 });
    const { contents } = await client.readResource({ uri: "coordinator://capabilities" });
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toEqual(["coordinator_usage_guide", "onboard_servers"]);
    const guide = await client.getPrompt({ name: "coordinator_usage_guide" });
    expect(guide.messages[0]?.content).toMatchObject({
      text: expect.stringContaining((contents[0] as { text: string }).text),
    });
    await expect(client.getPrompt({ name: "x" })).rejects.toThrow(
      'There is no prompt "x", only coordinator_usage_guide',
    );
  });

  test("hears of its servers by the prompt that is for it", async () => {
    await using connected = await gateway.connect({ modern });
    const { messages } = await connected.client.getPrompt({ name: "onboard_servers" });
    const said = (messages[0]?.content as { text: string } | undefined)?.text;
    expect(said).toContain("- `data` (`mcp_tools/data`): Orders and customers, 5 tools");
    expect(said).toMatch(/- `broken` .*\n {2}- fails: .*no-such-program/);
  });

  test("is told of progress, and of a server that went down during its run", async () => {
    await using connected = await gateway.connect({ modern });
    const { client } = connected;
    if (!modern) await client.setLoggingLevel("warning");
    const logged: unknown[] = [];
    const progress: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params));
    const code =
      'import { call } from "mcp_tools/faulty"; await call("echo", {}); await call("crash", {}).catch(() => 1)';
    await client.callTool(
      {
        name: "execute_code",
        arguments: { code },
        ...(modern && { _meta: { [LOG_LEVEL_META_KEY]: "warning" } }),
      },
      { onprogress: (params) => void progress.push(params) },
    );
    expect(logged).toEqual([
      { level: "warning", logger: "faulty", data: expect.stringMatching(/faulty.*ended.*out of luck/) },
    ]);
    expect(progress[0]).toMatchObject({ progress: 1, message: "1 tool call, faulty.echo" });
  });

  test("is told that its run was cut, unless it wants less", async () => {
    await using connected = await gateway.connect({ modern });
    const { client } = connected;
    const logged: unknown[] = [];
    client.setNotificationHandler("notifications/message", ({ params }) => void logged.push(params));
    const run = (level: "warning" | "error") =>
      client.callTool({
        name: "execute_code",
        arguments: { code: '"x".repeat(100_000)' },
        ...(modern && { _meta: { [LOG_LEVEL_META_KEY]: level } }),
      });
    await run("warning");
    expect(logged).toEqual([{ level: "warning", data: expect.stringMatching(/^run r\S+: \[result cut: /) }]);
    if (!modern) await client.setLoggingLevel("error");
    await run("error");
    expect(logged).toHaveLength(1);
  });

  test("ends its run by giving it up", async () => {
    await using connected = await gateway.connect({ modern, name: `quitter ${version}` });
    const stop = new AbortController();
    const running = connected.client.callTool(
      {
        name: "execute_code",
        arguments: { code: 'import { slow } from "mcp_tools/data"; await slow({ ms: 60_000 })' },
      },
      { signal: stop.signal },
    );
    running.catch(() => {});
    const mine = () => runsOf(connected, `quitter ${version}`);
    await until(async () => (await mine()).length === 1);
    stop.abort();
    await expect(running).rejects.toThrow();
    await until(async () => (await mine())[0]?.status === "cancelled");
  });
});

interface Run {
  readonly id: string;
  readonly client?: string;
  readonly status: string;
}

async function runsOf(connected: Awaited<ReturnType<HttpGateway["connect"]>>, client: string): Promise<Run[]> {
  const { structuredContent } = await connected.call("list_runs", {});
  return (structuredContent["result"] as Run[]).filter((run) => run.client === client);
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 30));
}

test("a run of one client can be ended by another", async () => {
  await using busy = await gateway.connect({ name: "busy" });
  await using other = await gateway.connect({ modern: true });
  const running = busy.call("execute_code", { code: "await new Promise((done) => setTimeout(done, 60_000))" });
  await until(async () => (await runsOf(other, "busy")).length === 1);
  const [run] = await runsOf(other, "busy");
  expect((await other.call("cancel_run", { run: run?.id })).structuredContent).toMatchObject({ cancelled: true });
  expect((await running).structuredContent).toMatchObject({ status: "cancelled" });
  expect((await other.call("cancel_run", { run: run?.id })).structuredContent).toMatchObject({ cancelled: false });
  expect((await other.call("cancel_run", { run: "r0" })).structuredContent).toMatchObject({
    error: { code: "run_unknown" },
  });
});

test("clients get their own answers, whatever the ids of their requests", async () => {
  const clients = await Promise.all(
    Array.from({ length: 6 }, (_, index) => gateway.connect({ modern: index % 2 === 1, name: `client ${index}` })),
  );
  const answers = await Promise.all(
    clients.flatMap((connected, index) =>
      [0, 1, 2].map(async (turn) => {
        const heard: (string | undefined)[] = [];
        const code = `import { slow } from "mcp_tools/data"; await slow({ ms: ${(6 - index) * 10} }); "${index} ${turn}"`;
        const { structuredContent } = await connected.client.callTool(
          { name: "execute_code", arguments: { code } },
          { onprogress: ({ message }) => void heard.push(message) },
        );
        return { result: (structuredContent as { result: unknown }).result, heard: heard.length > 0 };
      }),
    ),
  );
  const expected = clients.flatMap((_, index) =>
    [0, 1, 2].map((turn) => ({ result: `${index} ${turn}`, heard: true })),
  );
  expect(answers).toEqual(expected);
  await Promise.all(clients.map((connected) => connected[Symbol.asyncDispose]()));
});

test("what may be kept says for how long, in 2026-07-28", async () => {
  await using connected = await gateway.connect({ modern: true });
  const kept = { ttlMs: 300_000, cacheScope: "private" };
  expect(await connected.client.listTools()).toMatchObject(kept);
  expect(await connected.client.listPrompts()).toMatchObject(kept);
  expect(await connected.client.listResources()).toMatchObject({ ttlMs: 0, cacheScope: "private" });
});

test("the list of tools is the same for all, however much is known of the servers by now", async () => {
  await using first = await gateway.connect({ modern: true });
  await using second = await gateway.connect();
  const { tools } = await first.client.listTools();
  await first.call("search_tools", { query: "orders" });
  expect((await second.client.listTools()).tools).toEqual(tools);
});

/** As fetch will not send it. */
async function raw(headers: Record<string, string>): Promise<{ status: number | undefined; body: string }> {
  const { port } = new URL(gateway.url);
  const request = httpRequest({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers }).end("{}");
  const [response] = await once(request, "response");
  return { status: response.statusCode, body: await text(response) };
}

describe("refuses", () => {
  const token = () => ({ authorization: `Bearer ${gateway.token}` });

  test.each([
    ["no token", undefined, "The Authorization header is missing"],
    ["a wrong token", "Bearer wrong-token-wrong-token", "The token is wrong"],
    ["the token with more behind it", "+x", "The token is wrong"],
    ["a token in another scheme", "basic", "The token is wrong"],
  ])("%s", async (_what, given, message) => {
    const authorization =
      given === "+x" ? `Bearer ${gateway.token}x` : given === "basic" ? `Basic ${gateway.token}` : given;
    const response = await fetch(gateway.url, {
      method: "POST",
      headers: { "content-type": "application/json", ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify(initialize),
    });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer realm="mcp-coordinator"');
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({
      jsonrpc: "2.0",
      id: null,
      error: { message: expect.stringContaining(message) },
    });
    expect(body).not.toContain(gateway.token);
  });

  test("the token in the address", async () => {
    const { status } = await fetch(`${gateway.url}?token=${gateway.token}&access_token=${gateway.token}`);
    expect(status).toBe(401);
  });

  test.each([
    ["evil.example", 403],
    ["evil.example:7337", 403],
    ["127.0.0.1.evil.example", 403],
    ["localhost.evil.example", 403],
    ["user@127.0.0.1:80@evil.example", 403],
    ["evil@127.0.0.1", 403],
    ["127.0.0.1/evil.example", 403],
    ["localhost", 415],
    ["LOCALHOST:1234", 415],
    ["[::1]:7337", 415],
    ["mcp.example.org", 415],
  ])("the Host %j with %i", async (host, status) => {
    // 415: it passed, and stumbles over what comes next.
    expect((await raw({ host, ...token(), "content-type": "text/plain" })).status).toBe(status);
  });

  test.each([
    ["https://evil.example", 403],
    ["null", 403],
    ["file://", 403],
    ["http://127.0.0.1.evil.example", 403],
    ["http://localhost:3000", 415],
    ["https://mcp.example.org", 415],
  ])("the Origin %j with %i", async (origin, status) => {
    expect((await raw({ host: "127.0.0.1", origin, ...token(), "content-type": "text/plain" })).status).toBe(status);
  });

  test.each([
    ["another path", 404, "The MCP endpoint is /mcp", list, { path: "/other" }],
    ["a path below", 404, "The MCP endpoint is /mcp", list, { path: "/mcp/x" }],
    ["another method", 405, "takes POST, GET and DELETE", list, { method: "PUT" }],
    ["no JSON", 400, "The body is not JSON", "{", {}],
    ["an empty body", 400, "The body is not JSON", "", {}],
    ["another type", 415, "must be application/json", list, { headers: { "content-type": "text/plain" } }],
    ["a request without a session", 400, "Send initialize first", list, {}],
    ["an unknown session", 404, "Send initialize again", list, { headers: { "mcp-session-id": "x" } }],
    ["a stream of none", 400, "Send initialize first", undefined, {}],
    ["a stream of an unknown session", 404, "Send initialize again", undefined, { headers: { "mcp-session-id": "x" } }],
    [
      "the end of an unknown session",
      404,
      "Send initialize again",
      undefined,
      { method: "DELETE", headers: { "mcp-session-id": "x" } },
    ],
    ["too much", 413, "more than 4194304 bytes", "x".repeat(5_000_000), {}],
  ])("%s", async (_what, status, message, body, options) => {
    const response = await gateway.ask(body, options);
    expect([response.status, await response.json()]).toEqual([
      status,
      { jsonrpc: "2.0", id: null, error: { code: expect.any(Number), message: expect.stringContaining(message) } },
    ]);
  });

  test("too much that is not announced", async () => {
    const { port } = new URL(gateway.url);
    const headers = { ...token(), "content-type": "application/json", "transfer-encoding": "chunked" };
    const request = httpRequest({ host: "127.0.0.1", port, path: "/mcp", method: "POST", headers });
    request.on("error", () => {}); // it hangs up while we still send
    const answered = once(request, "response");
    for (let sent = 0; sent < 6; sent++) request.write(Buffer.alloc(1_000_000, "x"));
    const [response] = await answered;
    expect(response.statusCode).toBe(413);
    request.destroy();
  });
});

test("a session ends when its client says so, and a session is not another's", async () => {
  const open = async () => (await gateway.ask(initialize)).headers.get("mcp-session-id") as string;
  const [first, second] = [await open(), await open()];
  expect(first).not.toBe(second);
  const asked = (id: string) => gateway.ask(list, { headers: { "mcp-session-id": id } });
  expect((await asked(first)).status).toBe(200);
  await gateway.ask(undefined, { method: "DELETE", headers: { "mcp-session-id": first } });
  expect((await asked(first)).status).toBe(404);
  expect((await asked(second)).status).toBe(200);
});

test("an answer that was missed because the connection broke is had afterwards", async () => {
  const session = (await gateway.ask(initialize)).headers.get("mcp-session-id") as string;
  const headers = { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" };
  const code = 'import { slow } from "mcp_tools/data"; await slow({ ms: 300 })';
  const call = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "execute_code", arguments: { code } } };
  const stream = (await gateway.ask(call, { headers })).body?.getReader();
  const { value } = (await stream?.read()) ?? {};
  const id = /^id: (.+)$/m.exec(Buffer.from(value ?? []).toString())?.[1] ?? "";
  await stream?.cancel();
  const resume = () => gateway.ask(undefined, { headers: { ...headers, "last-event-id": id } });
  let resumed = await resume();
  while (resumed.status === 409) resumed = await resume(); // the end of the connection is not noticed yet
  expect(await resumed.text()).toMatch(/data: \{"result".*"id":7\}/);
});

test("anyone who asks for the health learns that it is there, and nothing else", async () => {
  const response = await fetch(new URL("/health", gateway.url));
  expect([response.status, await response.text()]).toEqual([200, "ok\n"]);
});

test("it talks of none of that", () => {
  const [listening, made, entry, ...rest] = gateway.said().trimEnd().split("\n");
  expect(listening).toMatch(
    /^listening on http:\/\/127\.0\.0\.1:\d+\/mcp, for those who have the token in \S+http-token$/,
  );
  expect([made, entry]).toEqual([expect.stringContaining("shown this once"), expect.stringContaining(gateway.token)]);
  const isUsual = (line: string) => line.startsWith("protocol: ") || /^The servers of \S+ count as accepted/.test(line);
  expect(rest.filter((line) => !isUsual(line) || line.includes(gateway.token))).toEqual([]);
});
