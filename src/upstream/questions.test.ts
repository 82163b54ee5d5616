import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, vi } from "vitest";
import type { Caller } from "../actor.ts";
import { createPausableTimers } from "../system/pausable-timers.ts";
import { canAnswer } from "./caller.ts";
import { type OpenCall, Questions } from "./questions.ts";
import { remote } from "./test-servers.fixture.ts";
import { createUpstreams } from "./upstreams.ts";

const form = { method: "elicitation/create", params: { message: "?" } };

function caller(id: string, capabilities: Caller["capabilities"] = { elicitation: {} }) {
  const ask = vi.fn<Caller["ask"]>(async (_method, params) => ({ action: "accept", content: { who: id, params } }));
  return { id, capabilities, ask };
}

function openCall(by: Caller | undefined): OpenCall {
  const { signal } = new AbortController();
  return { what: 'call "t"', caller: by, timers: createPausableTimers(), signal, asked: 0, refusals: [] };
}

const forever = () => new Promise<never>(() => {});

it("go to the one client whose calls are under way", async () => {
  const questions = new Questions("s", vi.fn());
  const ada = caller("ada");
  for (const by of [ada, ada, undefined]) void questions.during(openCall(by), forever);
  expect(await questions.answer(form)).toMatchObject({ content: { who: "ada" } });
});

it("are refused while calls of two are under way, unless they come with what belongs to one", async () => {
  const onAmbiguous = vi.fn();
  const questions = new Questions("s", onAmbiguous);
  const ada = caller("ada");
  const call = openCall(caller("bob"));
  void questions.during(openCall(ada), forever);
  const inBobs = questions.during(call, async () => questions.answer(form));
  expect(() => questions.answer(form)).toThrow("calls of several clients are under way");
  expect(onAmbiguous).toHaveBeenCalledOnce();
  expect(call.refusals).toHaveLength(1);
  expect(await inBobs).toMatchObject({ content: { who: "bob" } });
  expect(ada.ask).not.toHaveBeenCalled();
});

it("are refused when there is nobody to ask", () => {
  const questions = new Questions("s", vi.fn());
  expect(() => questions.answer(form)).toThrow("no call is under way");
  void questions.during(openCall(undefined), forever);
  expect(() => questions.answer(form)).toThrow("no client is behind the call");
  expect(() => questions.answer({ method: "tasks/get" })).toThrow("Method not found");
});

it("reach the client without what is between two neighbours only", async () => {
  const questions = new Questions("s", vi.fn());
  const ada = caller("ada");
  const params = { message: "?", task: { ttl: 1 }, _meta: { progressToken: 7, "vendor/x": 1 } };
  await questions.ask(openCall(ada), { method: "elicitation/create", params, key: "k" });
  const [method, sent, options] = ada.ask.mock.calls[0] ?? [];
  expect([method, sent, options?.key]).toEqual([
    "elicitation/create",
    { message: 'server "s" asks: ?', _meta: { "vendor/x": 1, "mcp-coordinator/server": "s" } },
    "k",
  ]);
});

it.each([
  [{}, "roots/list", {}, false],
  [{ roots: {} }, "roots/list", undefined, true],
  [{ sampling: {} }, "sampling/createMessage", {}, true],
  [{ sampling: {} }, "sampling/createMessage", { tools: [] }, false],
  [{ sampling: { tools: {} } }, "sampling/createMessage", { toolChoice: {} }, true],
  [{ elicitation: {} }, "elicitation/create", { mode: "form" }, true],
  [{ elicitation: {} }, "elicitation/create", { mode: "url" }, false],
  [{ elicitation: { url: {} } }, "elicitation/create", {}, false],
  [{ elicitation: { form: {}, url: {} } }, "elicitation/create", { mode: "url" }, true],
] as const)("a client with %j and %s %j: %s", (capabilities, method, params, can) => {
  expect(canAnswer(capabilities, method, params)).toBe(can);
});

/** A server before 2026-07-28 over HTTP: it asks on the stream of each call, once two calls are under way. */
async function startAskingServer() {
  const calls: { id: unknown; name: string; answer: ServerResponse }[] = [];
  const event = (response: ServerResponse, message: object) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
  const json = (response: ServerResponse, message: object) =>
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ jsonrpc: "2.0", ...message }));
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse((await request.setEncoding("utf8").toArray()).join(""));
    const { id, method, params, result } = message;
    if (method === "initialize") {
      const serverInfo = { name: "asking", version: "1" };
      return json(response, { id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } });
    }
    if (method === "tools/call") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      calls.push({ id, name: params.name, answer: response });
      if (calls.length < 2) return undefined;
      for (const { name, answer } of calls) {
        event(answer, { id: `about ${name}`, method: "elicitation/create", params: { message: name } });
      }
      return undefined;
    }
    response.writeHead(202).end();
    const asked = calls.find(({ name }) => id === `about ${name}`);
    if (asked) {
      event(asked.answer, { id: asked.id, result: { content: [], structuredContent: result } });
      asked.answer.end();
    }
    return undefined;
  };
  const http = createServer((request, response) => void serve(request, response));
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    close: () => http.closeAllConnections(),
  };
}

it("of two clients at once go to the right one where they come on the stream of a call", async () => {
  const server = await startAskingServer();
  await using upstreams = createUpstreams([remote(server.url)]);
  const call = (id: string) => upstreams.to("tested").call(id, {}, { caller: caller(id) });
  const answers = await Promise.all([call("ada"), call("bob")]);
  expect(answers.map((answer) => (answer as { structuredContent: unknown }).structuredContent)).toEqual(
    ["ada", "bob"].map((who) => {
      const params = { message: `server "tested" asks: ${who}`, _meta: { "mcp-coordinator/server": "tested" } };
      return { action: "accept", content: { who, params } };
    }),
  );
  server.close();
});
