import { expect, test } from "vitest";
import type { ServerConfig } from "../config/server.ts";
import { faulty, nodeServer, remote, startHttpServer } from "./test-servers.fixture.ts";
import { Upstream } from "./upstream.ts";

function openUpstream(server: ServerConfig, silenceMs = 5000): Upstream {
  const times = {
    connectTimeoutMs: 30_000,
    callTimeoutMs: 120_000,
    idleMs: 60_000,
    listedOnlyMs: 60_000,
    silenceMs,
  };
  return new Upstream(server, { version: "0", ...times, authorization: undefined, onNotification() {}, onFailed() {} });
}

async function answers(server: ServerConfig, before?: (pid: number) => void): Promise<boolean> {
  const upstream = openUpstream(server);
  const connection = await upstream.open({ timeoutMs: 30_000 });
  before?.(upstream.state.pid ?? 0);
  const responds = await connection.responds(before ? 500 : 20_000);
  await upstream.close();
  return responds;
}

test.each([["handshake"], ["modern-only"]])("a server over stdio says that it is there: %s", async (kind) => {
  expect(await answers(faulty(kind))).toBe(true);
});

test.each([["streamable"], ["sse"], ["modern"]])("a server over HTTP says that it is there: %s", async (kind) => {
  await using server = await startHttpServer(kind);
  expect(await answers(remote(server.url))).toBe(true);
});

test("a frozen one does not", async () => {
  expect(await answers(faulty(), (pid) => process.kill(pid, "SIGSTOP"))).toBe(false);
});

// Answers each of the first pings with what an earlier call asked for, and "examined" when it has answered a ping itself.
const behind = `
  const calls = [];
  let examined;
  const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    if (method === "initialize")
      answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "behind", version: "1" } });
    else if (method === "tools/call" && params.name === "examined") examined = id;
    else if (method === "tools/call") calls.push(id);
    else if (method === "ping" && calls.length > 0) answer(calls.shift(), { content: [] });
    else if (method === "ping") {
      answer(id, {});
      answer(examined, { content: [{ type: "text", text: "done" }] });
    }
  });
`;

test("one that still sends the answers to earlier calls is not silent", async () => {
  const upstream = openUpstream(nodeServer("-e", behind), 1500);
  await upstream.open({ timeoutMs: 30_000 });
  const examined = upstream.call("examined", {});
  const late = [1, 2].map(() => upstream.call("large", {}, { timeoutMs: 50 }));
  for (const call of late) await expect(call).rejects.toMatchObject({ code: "call_timeout" });
  expect(await examined).toEqual({ content: [{ type: "text", text: "done" }] });
  await upstream.close();
});
