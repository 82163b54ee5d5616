import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { failureOf, remote, textOf } from "./test-servers.fixture.ts";
import { createUpstreams, type Upstreams } from "./upstreams.ts";

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly protocolVersion?: string };
}

interface Behaviour {
  /** What becomes of a GET. */
  stream?(request: IncomingMessage, response: ServerResponse): void;
  /** What becomes of a call of a tool. */
  call?(message: Message, response: ServerResponse): void;
  /** What becomes of an answer to a request of the server. */
  answer?(response: ServerResponse): void;
  /** Where answers go that are not those of a request. */
  send?(message: object): void;
}

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const events = { "content-type": "text/event-stream" };
const ok = { content: [{ type: "text", text: "ok" }] };

function reply(response: ServerResponse, { id }: Message, result: unknown): void {
  const headers = { "content-type": "application/json" };
  response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

function refuse(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(405).end();
}

/** A server that does what it is told, and our connection to it. */
async function open(behaviour: Behaviour, transport: "http" | "sse" = "http"): Promise<Upstreams> {
  const { stream = refuse } = behaviour;
  const server = createServer(async (request, response) => {
    if (request.method === "DELETE") return void response.writeHead(200).end();
    if (request.method === "GET") return stream(request, response);
    let body = "";
    for await (const chunk of request) body += chunk;
    const message = JSON.parse(body) as Message;
    if (message.method === undefined) return behaviour.answer?.(response);
    if (message.id === undefined) return void response.writeHead(202).end();
    const { protocolVersion } = message.params ?? {};
    const serverInfo = { name: "told", version: "1" };
    const result = message.method === "initialize" ? { protocolVersion, capabilities: {}, serverInfo } : ok;
    if (message.method === "tools/call" && behaviour.call) return behaviour.call(message, response);
    if (!behaviour.send) return reply(response, message, result);
    response.writeHead(202).end();
    behaviour.send({ jsonrpc: "2.0", id: message.id, result });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const upstreams = createUpstreams([remote(url, { transport })]);
  closing.push(async () => {
    await upstreams[Symbol.asyncDispose]();
    server.closeAllConnections();
    server.close();
  });
  return upstreams;
}

test("a server that asks without end and accepts no answer has few of them open, each for seconds", async () => {
  const askWithoutEnd = async (transport: "http" | "sse") => {
    const held: ServerResponse[] = [];
    let told: ServerResponse | undefined;
    const send = (message: object) => void told?.write(`data: ${JSON.stringify(message)}\n\n`);
    const ping = (count: number) => {
      for (let id = 0; id < count; id++) send({ jsonrpc: "2.0", id, method: "ping" });
    };
    const behaviour: Behaviour = {
      stream(_, response) {
        told = response.writeHead(200, events);
        told.write(transport === "sse" ? "event: endpoint\ndata: /mcp\n\n" : ": here\n\n");
      },
      answer: (response) => held.push(response),
    };
    const upstreams = await open(transport === "sse" ? { ...behaviour, send } : behaviour, transport);
    expect(textOf(await upstreams.to("tested").call("any", {}))).toBe("ok");
    while (told === undefined) await delay(5);
    ping(500);
    while (held.length < 32) await delay(5);
    expect(textOf(await upstreams.to("tested").call("any", {}))).toBe("ok");
    expect(held).toHaveLength(32);
    await Promise.all(held.map((response) => once(response, "close")));
    ping(1);
    while (held.length < 33) await delay(5);
  };
  await Promise.all([askWithoutEnd("http"), askWithoutEnd("sse")]);
});

test("128 calls go to one server at the same time", async () => {
  const waiting: (() => void)[] = [];
  const upstreams = await open({
    call(message, response) {
      waiting.push(() => reply(response, message, ok));
      if (waiting.length === 128) for (const answer of waiting) answer();
    },
  });
  const calls = Array.from({ length: 128 }, () => upstreams.to("tested").call("any", {}));
  expect((await Promise.all(calls)).map(textOf)).toEqual(Array(128).fill("ok"));
});

describe("a server whose streams end at once", () => {
  const ended = (response: ServerResponse): void => {
    response.writeHead(200, events).end("retry: 0\nid: 1\ndata:\n\n");
  };

  test("is asked for them again after a wait of ours, and gets no long event id back", async () => {
    const gets: { at: number; id: string | undefined }[] = [];
    const ids = ["short", "x".repeat(2000), ""];
    const upstreams = await open({
      stream(request, response) {
        gets.push({ at: performance.now(), id: request.headers["last-event-id"]?.toString() });
        const id = ids[gets.length - 1] ?? "";
        response.writeHead(200, events).end(`retry: 0\nid: ${id}\ndata:\n\n`);
      },
    });
    await upstreams.to("tested").call("any", {});
    while (gets.length < 4) await delay(20);
    expect(gets.map(({ id }) => id)).toEqual([undefined, "short", undefined, undefined]);
    const [, second = 0, third = 0, fourth = 0] = gets.map(({ at }) => at);
    expect(third - second).toBeGreaterThan(900);
    expect(fourth - third).toBeGreaterThan(1900);
  });

  test("is not asked for the answer to a call that has ended", async () => {
    let gets = 0;
    const upstreams = await open({
      stream(request, response) {
        if (request.headers["last-event-id"] === undefined) return refuse(request, response);
        gets++;
        ended(response);
      },
      call: (message, response) => (message.params?.name === "first" ? reply(response, message, ok) : ended(response)),
    });
    await upstreams.to("tested").call("first", {});
    expect(await failureOf(upstreams.to("tested").call("any", {}, { timeoutMs: 1500 }))).toMatchObject({
      code: "call_timeout",
    });
    expect(gets).toBeGreaterThan(0);
    const before = gets;
    await delay(2500);
    expect(gets).toBe(before);
  });

  test("still brings an answer in the end", async () => {
    let gets = 0;
    const upstreams = await open({
      stream(request, response) {
        if (request.headers["last-event-id"] === undefined) return refuse(request, response);
        if (++gets < 3) return ended(response);
        response
          .writeHead(200, events)
          .end(`data: ${JSON.stringify({ jsonrpc: "2.0", id: called.id, result: ok })}\n\n`);
      },
      call(message, response) {
        called = message;
        ended(response);
      },
    });
    let called: Message = {};
    expect(textOf(await upstreams.to("tested").call("any", {}))).toBe("ok");
  });
});
