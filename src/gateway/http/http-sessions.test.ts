import { Server } from "@modelcontextprotocol/server";
import { expect, test } from "vitest";
import { createHttpSessions, type HttpSessions } from "./http-sessions.ts";

const never = new Promise<never>(() => {});
const done = Promise.resolve();
const body = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const ping = { jsonrpc: "2.0", id: 2, method: "ping" };

function create(options: { idleMs?: number; most?: number } = {}) {
  return createHttpSessions({
    createServer: () => new Server({ name: "test", version: "1" }, { capabilities: {} }),
    onError: () => {},
    idleMs: options.idleMs ?? 60_000,
    most: options.most ?? 1000,
  });
}

const request = (session?: string, headers: Record<string, string> = {}) =>
  new Request("http://localhost/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...(session !== undefined && { "mcp-session-id": session }),
      ...headers,
    },
  });

async function open(sessions: HttpSessions, over: Promise<unknown> = done): Promise<string> {
  const response = await sessions.serve(request(), body, over);
  await response.text();
  return response.headers.get("mcp-session-id") as string;
}

const statusOf = async (sessions: HttpSessions, id: string) => (await sessions.serve(request(id), ping, done)).status;

test("a hundred that are opened and left are gone after their time, one with an open stream is not", async () => {
  const sessions = create({ idleMs: 100 });
  const busy = await open(sessions, never);
  const left = await Promise.all(Array.from({ length: 100 }, () => open(sessions)));
  expect(sessions.count).toBe(101);
  while (sessions.count > 1) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await statusOf(sessions, left[50] as string)).toBe(404);
  expect(await statusOf(sessions, busy)).toBe(200);
  await sessions.close();
  expect(sessions.count).toBe(0);
});

test("when there are too many, the one that was quiet for longest makes room; busy ones never do", async () => {
  const sessions = create({ most: 3 });
  const busy = await open(sessions, never);
  const first = await open(sessions);
  const second = await open(sessions);
  expect(await statusOf(sessions, first)).toBe(200); // and is the younger one from now on
  await new Promise(setImmediate);
  const third = await open(sessions);
  expect(await Promise.all([busy, first, second, third].map((id) => statusOf(sessions, id)))).toEqual([
    200, 200, 404, 200,
  ]);
  await sessions.close();
});

test("none is opened when all are busy", async () => {
  const sessions = create({ most: 2 });
  await open(sessions, never);
  await open(sessions, never);
  const response = await sessions.serve(request(), body, done);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
  expect(sessions.count).toBe(2);
  await sessions.close();
});

test("what is refused leaves no session, nor does what does not start one", async () => {
  const sessions = create();
  expect((await sessions.serve(request(undefined, { accept: "text/html" }), body, done)).status).toBe(406);
  expect((await sessions.serve(request(), ping, done)).status).toBe(400);
  expect(sessions.count).toBe(0);
  await sessions.close();
});

test("an id that is under way is refused, and free again once its request is answered, refused or cancelled", async () => {
  let answer: (result: object) => void = () => {};
  const sessions = createHttpSessions({
    createServer() {
      const server = new Server({ name: "test", version: "1" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => new Promise((resolve) => (answer = () => resolve({ tools: [] }))));
      return server;
    },
    onError: () => {},
    idleMs: 60_000,
    most: 10,
  });
  const id = await open(sessions);
  const post = (message: object, headers = {}) => sessions.serve(request(id, headers), message, done);
  const list = { jsonrpc: "2.0", id: 7, method: "tools/list" };
  const again = { jsonrpc: "2.0", id: 7, method: "ping" };

  const listed = await post(list);
  const refused = await post(again);
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ error: { code: -32600, message: expect.stringContaining("this id") } });
  expect((await post([ping, ping])).status).toBe(400);
  expect((await post({ ...again, id: "7" })).status).toBe(200);
  answer({});
  expect(await listed.text()).toContain('"tools":[]');

  expect((await post(again, { accept: "text/html" })).status).toBe(406);
  await post(list);
  await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
  expect(await (await post(again)).text()).toContain('"result":{}');
  await sessions.close();
});
