import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { Caller } from "../actor.ts";
import { failureOf, nodeServer, textOf } from "./test-servers.fixture.ts";
import { createUpstreams } from "./upstreams.ts";

const program = fileURLToPath(new URL("../../test/servers/line-server.mjs", import.meta.url));

function open(era: string) {
  const upstreams = createUpstreams([nodeServer(program, era)]);
  return { ...upstreams, to: upstreams.to("tested"), state: () => upstreams.state("tested") };
}

/** A client whose user takes so long for an answer. */
function asked(milliseconds: number): Caller {
  const ask = () => delay(milliseconds, { action: "accept", content: { well: "yes" } });
  return { id: "ada", capabilities: { elicitation: { form: {} } }, ask };
}

describe.each([["legacy"], ["modern"]])("calls of a server over stdio, %s", (era) => {
  test("are sent with the very text of their arguments, on one line", async () => {
    await using upstream = open(era);
    const argsText = '{"b":1.0,"a":"\u2028\\u0041"}';
    const line = textOf(await upstream.to.call("line", {}, { argsText }));
    expect(line).toContain('"name":"line","arguments":{"b":1.0,"a":"\\u2028\\u0041"}');
    const { _meta, ...params } = JSON.parse(line).params;
    expect(params).toEqual({ name: "line", arguments: { b: 1, a: "\u2028A" } });
    if (era === "legacy") expect(_meta).toBeUndefined();
    else {
      expect(_meta).toEqual({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "mcp-coordinator", version: "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
      });
    }
  });

  test("have their time stand still while a user is asked, and go on with what was left", async () => {
    await using upstream = open(era);
    await upstream.to.call("line", {});
    const answer = await upstream.to.call("ask", {}, { caller: asked(2500), timeoutMs: 2000 });
    expect(textOf(answer)).toContain('{"well":"yes"}');
  });

  test("of one run are cancelled by its one signal, each at the server; others are not", async () => {
    await using upstream = open(era);
    await upstream.to.call("line", {});
    const run = new AbortController();
    const calls = [1, 2, 3].map((n) => failureOf(upstream.to.call("never", { n }, { signal: run.signal })));
    const other = failureOf(upstream.to.call("never", { other: true }, { timeoutMs: 1000 }));
    await upstream.to.call("line", {});
    run.abort(new Error("enough"));
    for (const { code, delivery } of await Promise.all(calls))
      expect([code, delivery]).toEqual(["call_cancelled", "unknown"]);
    expect((await other).code).toBe("call_timeout");
    const lines: string[] = JSON.parse(textOf(await upstream.to.call("seen", {})));
    const messages = lines.map((line) => JSON.parse(line));
    const sent = messages.filter(({ params }) => params?.name === "never").map(({ id }) => id);
    const cancelled = messages.filter(({ method }) => method === "notifications/cancelled").map(({ params }) => params);
    expect(cancelled.map(({ requestId }) => requestId)).toEqual(sent);
    expect(cancelled[0].reason).toContain("enough");
  });

  test("have limits of their own: the shorter is up first, though it came later", async () => {
    await using upstream = open(era);
    await upstream.to.call("line", {});
    const ended: string[] = [];
    const end = async (name: string, timeoutMs: number) => {
      const { code } = await failureOf(upstream.to.call("never", {}, { timeoutMs }));
      ended.push(`${name} ${code}`);
    };
    await Promise.all([end("long", 1500), end("short", 100), end("middle", 800)]);
    expect(ended).toEqual(["short call_timeout", "middle call_timeout", "long call_timeout"]);
  });

  test("take one answer, also with its id as a text; a second is counted and reaches nobody", async () => {
    await using upstream = open(era);
    expect(textOf(await upstream.to.call("twice", {}))).toBe("first");
    await upstream.to.call("line", {});
    expect(upstream.state().strayAnswers).toBe(1);
  });

  test("give the result without its type, which is for us", async () => {
    await using upstream = open(era);
    expect(await upstream.to.call("typed", { type: "complete" })).toEqual({
      content: [{ type: "text", text: "typed" }],
    });
  });
});

test("a question that is answered does not stop the clock for good", async () => {
  await using upstream = open("legacy");
  await upstream.to.call("line", {});
  const failure = await failureOf(upstream.to.call("ask_only", {}, { caller: asked(300), timeoutMs: 500 }));
  expect(failure.code).toBe("call_timeout");
});

test("a server that asks again and again is given up, and one with a result of an unknown type is not understood", async () => {
  await using upstream = open("modern");
  expect((await failureOf(upstream.to.call("asks_for_ever", {}))).message).toContain("after 10 rounds");
  const strange = await failureOf(upstream.to.call("typed", { type: "task" }));
  expect([strange.delivery, strange.message]).toEqual(["unknown", expect.stringContaining('the unknown type "task"')]);
}, 60_000);
