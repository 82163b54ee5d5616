import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";
import { nodeServer } from "./test-servers.fixture.ts";

const opened: StdioTransport[] = [];
afterEach(() => Promise.all(opened.splice(0).map((transport) => transport.close())));

/** A transport to a server of these lines of code; `say` writes a line, `heard` is called with each that comes. */
async function open(code: string): Promise<{ transport: StdioTransport; next: () => Promise<JSONRPCMessage> }> {
  const program = `
    const say = (line) => process.stdout.write((typeof line === "string" ? line : JSON.stringify(line)) + "\\n");
    const hear = (heard) => require("node:readline").createInterface({ input: process.stdin }).on("line", heard);
    ${code}`;
  const transport = new StdioTransport(nodeServer("-e", program));
  opened.push(transport);
  const waiting: ((message: JSONRPCMessage) => void)[] = [];
  const messages: JSONRPCMessage[] = [];
  transport.onmessage = (message) => {
    const take = waiting.shift();
    if (take) take(message);
    else messages.push(message);
  };
  await transport.start();
  const next = () => {
    const message = messages.shift();
    return message ? Promise.resolve(message) : new Promise<JSONRPCMessage>((resolve) => waiting.push(resolve));
  };
  return { transport, next };
}

describe("a line of very many values is not read", () => {
  test("a notification is passed over", async () => {
    const { transport, next } = await open(`
      say({ jsonrpc: "2.0", method: "notifications/message", params: { data: Array(30_000).fill([]) } });
      say({ jsonrpc: "2.0", method: "small" });`);
    expect(await next()).toMatchObject({ method: "small" });
    expect(transport.skippedLines).toBe(0);
  });

  test("a notification whose method is written with escapes is passed over too", async () => {
    const { next } = await open(String.raw`
      say('{"jsonrpc":"2.0","\\u006dethod":"x","params":[' + "0,".repeat(100_000) + "0]}");
      say({ jsonrpc: "2.0", method: "small" });`);
    expect(await next()).toMatchObject({ method: "small" });
  });

  test("a request is refused, and the server told", async () => {
    const { next } = await open(`
      hear((line) => say({ jsonrpc: "2.0", method: "told", params: JSON.parse(line) }));
      say({ jsonrpc: "2.0", id: "q", method: "elicitation/create", params: { a: Array(30_000).fill([]) } });`);
    expect(await next()).toMatchObject({ method: "told", params: { id: "q", error: { code: -32600 } } });
  });
});

test("a request with a very long id is passed over, since the id would be sent back", async () => {
  const { next } = await open(`
    say({ jsonrpc: "2.0", id: "x".repeat(2000), method: "ping" });
    say({ jsonrpc: "2.0", id: "x".repeat(100_000), method: "ping" });
    say({ jsonrpc: "2.0", id: "y".repeat(1000), method: "ping" });`);
  expect(await next()).toMatchObject({ id: "y".repeat(1000) });
});
