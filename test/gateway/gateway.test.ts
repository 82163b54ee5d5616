import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Connected, connect, createHome, official, server } from "./connect.ts";

const fleet = {
  data: { ...server("data-server"), description: "orders and customers" },
  everything: official("everything"),
  faulty: server("faulty-server"),
};

const home = createHome(fleet);
let gateway: Connected;
beforeAll(async () => {
  gateway = await connect(home);
});
afterAll(() => gateway[Symbol.asyncDispose]());

describe("the tools that an AI client sees", () => {
  const tokens = (value: unknown) => encode(JSON.stringify(value)).length;

  test("are two, at most 500 tokens, however many servers stand behind", async () => {
    const { tools } = await gateway.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["search_tools", "execute_code"]);
    const fixed = tools.map((tool) => ({ ...tool, description: tool.description?.split("\nServers")[0] }));
    expect(tokens(fixed)).toBeLessThanOrEqual(500);
  });

  test("name the servers, at most 300 tokens, and say when the list is cut", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 120 }, (_, index) => [
        `some-server-${index}`,
        { command: "x", description: "does things with things ".repeat(3) },
      ]),
    );
    await using crowded = await connect(createHome(many));
    const [search] = (await crowded.client.listTools()).tools;
    const inventory = /Servers.*$/s.exec(search?.description ?? "")?.[0] ?? "";
    expect(inventory).toContain("some-server-0");
    expect(inventory).toMatch(/and \d+ more \(cut/);
    expect(encode(inventory).length).toBeLessThanOrEqual(300);
  });

  test("stay the same for as long as the client is connected", async () => {
    const before = await gateway.client.listTools();
    await gateway.call("search_tools", {});
    expect(await gateway.client.listTools()).toEqual(before);
  });

  test("include discovery when that toolset is asked for", async () => {
    await using wide = await connect(home, { args: ["--toolsets", "code,discovery"] });
    const { tools } = await wide.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["search_tools", "execute_code"],
      ...["list_servers", "list_tools", "get_tool_schema", "call_tool", "generate_tools"],
    ]);
    const { structuredContent } = await wide.call("call_tool", {
      server_name: "faulty",
      tool_name: "echo",
      arguments: { a: 1 },
    });
    expect(structuredContent).toEqual({ a: 1 });
  });
});

describe("execute_code", () => {
  test("answers with what was printed and the last value, as text and as data", async () => {
    const { content, structuredContent, isError } = await gateway.call("execute_code", {
      code: 'import { customers } from "mcp_tools/data"; console.log("hi"); (await customers()).customers.length',
    });
    expect(content).toEqual([{ type: "text", text: "hi\n100" }]);
    expect(structuredContent).toMatchObject({
      status: "ok",
      result: 100,
      stdout: "hi\n",
      calls: { total: 1, failed: 0 },
    });
    expect(isError ?? false).toBe(false);
  });

  test("says that nothing ran when the check fails", async () => {
    const { content, structuredContent, isError } = await gateway.call("execute_code", {
      code: 'import { x } from "mcp_tools/dat"; x()',
    });
    expect([isError, structuredContent["status"]]).toEqual([true, "check_failed"]);
    expect(content[0]).toMatchObject({
      text: expect.stringMatching(/^check_failed: Nothing has run.*Did you mean "mcp_tools\/data"\?/s),
    });
  });

  test("refuses arguments that it does not know, with the nearest name", async () => {
    const { content, isError } = await gateway.call("execute_code", { cod: "1" });
    expect(isError).toBe(true);
    expect(content[0]).toMatchObject({ text: expect.stringContaining('did you mean "code"?') });
  });

  test("tells a client that asks of its progress", async () => {
    const messages: unknown[] = [];
    await gateway.client.callTool(
      {
        name: "execute_code",
        arguments: { code: 'import { slow } from "mcp_tools/data"; await slow({ ms: 10 }); await slow({ ms: 10 })' },
      },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(messages[0]).toBe("1 tool call, data.slow");
  });

  test("ends when the client cancels it, and the gateway serves on", async () => {
    const controller = new AbortController();
    const running = gateway.client.callTool(
      {
        name: "execute_code",
        arguments: { code: 'import { slow } from "mcp_tools/data"; await slow({ ms: 60_000 })' },
      },
      { signal: controller.signal, onprogress: () => controller.abort() },
    );
    await expect(running).rejects.toThrow();
    expect((await gateway.call("execute_code", { code: "1" })).structuredContent["result"]).toBe(1);
    await using wide = await connect(home, { args: ["--toolsets", "discovery"] });
    expect((await wide.call("list_servers")).isError ?? false).toBe(false);
  });
});

test("a tool of a server, called directly, is answered with what to do instead", async () => {
  const { content, isError } = await gateway.call("customers");
  expect(isError).toBe(true);
  expect(content[0]).toMatchObject({ text: expect.stringContaining("imported in execute_code") });
});

test("a long name that nobody knows is repeated in part only", async () => {
  await using wide = await connect(createHome({}), { args: ["--toolsets", "code,discovery,skills,registry,runs"] });
  const long = "w".repeat(50_000);
  const calls: [string, object][] = [
    ["get_run", { run: long }],
    ["cancel_run", { run: long }],
    ["mcp_remove", { name: long }],
    ["run_skill", { name: long }],
    ["search_tools", { server: long }],
    ["execute_code", { code: "1", servers: [long] }],
    ["execute_code", { code: "1", [long]: 1 }],
    [long, {}],
  ];
  for (const [name, args] of calls) {
    const answer = await wide.call(name, args);
    const text = JSON.stringify(answer);
    expect(text).toContain(`${"w".repeat(199)}…`);
    expect(text.length).toBeLessThan(2000);
  }
  await expect(wide.client.getPrompt({ name: long })).rejects.toThrow(/^.{0,400}$/s);
});

test("a client of the 2026-07-28 protocol is served too", async () => {
  await using modern = await connect(home, { modern: true });
  expect((await modern.client.listTools()).tools).toHaveLength(2);
  expect((await modern.call("execute_code", { code: "6 * 7" })).structuredContent["result"]).toBe(42);
});
