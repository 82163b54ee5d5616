import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createHome } from "./connect.ts";
import { type HttpGateway, serveHttp } from "./http-gateway.ts";

let gateway: HttpGateway;
beforeAll(async () => {
  gateway = await serveHttp(createHome({}));
});
afterAll(() => gateway[Symbol.asyncDispose]());

const opened: Socket[] = [];
afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
});

async function open(words: string): Promise<Socket> {
  const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
  opened.push(socket);
  socket.on("error", () => {});
  await Promise.race([once(socket, "connect"), once(socket, "close")]);
  socket.write(words);
  return socket;
}

const head = (line: string, ...more: string[]) => [`${line} HTTP/1.1`, "Host: 127.0.0.1", ...more, "", ""].join("\r\n");

describe("fifteen hundred connections without the token do not keep out those who have it:", () => {
  test.each([
    ["each asked for the health and stays", head("GET /health")],
    ["none says anything", ""],
    ["none comes to the end of its headers", "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "],
    ["none comes to the end of its body", head("POST /mcp", "Content-Length: 100")],
  ])("%s", async (_what, words) => {
    await using before = await gateway.connect();
    await Promise.all(Array.from({ length: 1500 }, () => open(words)));
    await using after = await gateway.connect();
    await using modern = await gateway.connect({ modern: true });
    for (const { call } of [before, after, modern])
      expect((await call("execute_code", { code: "1 + 1" })).structuredContent).toMatchObject({ result: 2 });
    expect((await fetch(new URL("/health", gateway.url))).status).toBe(200);
  });
});

test.each([
  ["the health", head("GET /health"), 200],
  ["no token", head("POST /mcp"), 401],
  ["a wrong token", head("POST /mcp", "Authorization: Bearer wrong-token-wrong-token"), 401],
  ["another path", head("GET /other"), 404],
  ["a foreign Host", "GET /health HTTP/1.1\r\nHost: evil.example\r\n\r\n", 403],
  ["a foreign Origin", head("GET /health", "Origin: https://evil.example"), 403],
])("it hangs up after its answer to %s", async (_what, words, status) => {
  const answer = await text(await open(words));
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*\r\nconnection: close\r\n`, "i"));
});

test("five hundred connections at once that show the token are all served", async () => {
  const asked = Array.from({ length: 500 }, () => gateway.ask({ jsonrpc: "2.0", id: 1, method: "ping" }));
  const statuses = await Promise.allSettled(asked.map(async (answer) => (await answer).status));
  expect(new Set(statuses.map((end) => (end.status === "fulfilled" ? end.value : end.reason)))).toEqual(new Set([400]));
});

test("a connection with the token is kept", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { authorization: `Bearer ${gateway.token}`, accept: "text/event-stream" };
  const isReused: boolean[] = [];
  for (let asked = 0; asked < 3; asked++) {
    const asking = request(gateway.url, { agent, headers }).end();
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    expect([answer.statusCode, answer.headers.connection]).toEqual([400, "keep-alive"]);
    await text(answer);
    isReused.push(asking.reusedSocket);
  }
  agent.destroy();
  expect(isReused).toEqual([false, true, true]);
});
