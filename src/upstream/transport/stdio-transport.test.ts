import { setTimeout as delay } from "node:timers/promises";
import type { JSONRPCMessage } from "@modelcontextprotocol/client";
import { afterEach, describe, expect, test } from "vitest";
import { nodeServer } from "../test-servers.fixture.ts";
import { NotSentError } from "./server-transport.ts";
import { StdioTransport } from "./stdio-transport.ts";

const opened: StdioTransport[] = [];
afterEach(() => Promise.all(opened.splice(0).map((transport) => transport.close())));

interface Opened {
  readonly transport: StdioTransport;
  next(): Promise<JSONRPCMessage>;
}

/** A transport to a server of these lines of code; `say` writes a line, `hear` is given each that comes. */
async function open(code: string, unreadMs?: number): Promise<Opened> {
  const program = `
    const say = (line) => process.stdout.write((typeof line === "string" ? line : JSON.stringify(line)) + "\\n");
    const hear = (heard) => require("node:readline").createInterface({ input: process.stdin }).on("line", heard);
    ${code}`;
  const transport = new StdioTransport(nodeServer("-e", program), unreadMs === undefined ? {} : { unreadMs });
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

describe("a server that does not read its stdin", () => {
  const call = (id: number, megabytes: number): JSONRPCMessage => {
    const text = "x".repeat(megabytes * 1024 * 1024);
    return { jsonrpc: "2.0", id, method: "tools/call", params: { text } };
  };
  const deaf = 'say({ jsonrpc: "2.0", method: "ready" }); setInterval(() => {}, 1000);';

  test("gets no more calls when 32 MB wait for it, and nothing of those is sent", async () => {
    const { transport, next } = await open(deaf);
    await next();
    await transport.send(call(1, 20));
    await transport.send(call(2, 20));
    const refused = await transport.send(call(3, 1)).catch((thrown: unknown) => thrown);
    expect(refused).toBeInstanceOf(NotSentError);
    expect(refused).toMatchObject({ message: "the server has not read the last 40 MB that it was sent" });
    // What is told about calls that were sent is small.
    await transport.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    expect(transport.end).toBeUndefined();
  });

  test("is ended when it goes on like that", async () => {
    const { transport, next } = await open(deaf, 300);
    await next();
    const closed = new Promise<void>((resolve) => {
      transport.onclose = resolve;
    });
    await transport.send(call(1, 40));
    await closed;
    expect(transport.end).toBe("has read nothing of its stdin for 0.3 s, and was ended");
  });

  test("is served on when it has only been late", async () => {
    const { transport, next } = await open(`
      say({ jsonrpc: "2.0", method: "ready" });
      setTimeout(() => hear((line) => say({ jsonrpc: "2.0", id: JSON.parse(line).id, result: {} })), 400);`);
    await next();
    await transport.send(call(1, 40));
    await expect(transport.send(call(2, 1))).rejects.toThrow("40 MB");
    expect(await next()).toMatchObject({ id: 1, result: {} });
    await transport.send(call(3, 1));
    expect(await next()).toMatchObject({ id: 3, result: {} });
  });

  test("is not read from while it leaves answers to its own requests", async () => {
    const { transport } = await open(`
      const pings = '{"jsonrpc":"2.0","id":1,"method":"ping"}\\n'.repeat(1000).trimEnd();
      let more = 100;
      const flood = () => more-- > 0 ? process.stdout.write(pings + "\\n", flood) : say({ jsonrpc: "2.0", method: "end" });
      process.on("SIGUSR2", () => hear(() => {}));
      flood();`);
    let pings = 0;
    let last = performance.now();
    const end = new Promise<void>((resolve) => {
      transport.onmessage = (message) => {
        if ("method" in message && message.method === "end") return resolve();
        pings++;
        last = performance.now();
        void transport.send({ jsonrpc: "2.0", id: 1, result: {} });
      };
    });
    while (pings === 0 || performance.now() - last < 300) await delay(50);
    expect(pings).toBeLessThan(20_000);
    process.kill(transport.pid as number, "SIGUSR2");
    await end;
    expect(pings).toBe(100_000);
  });
});
