import { expect, test } from "vitest";
import type { ServerConfig } from "../config/server.ts";
import { faulty, remote, startHttpServer } from "./test-servers.fixture.ts";
import { Upstream } from "./upstream.ts";

function openUpstream(server: ServerConfig): Upstream {
  const times = {
    connectTimeoutMs: 30_000,
    callTimeoutMs: 120_000,
    idleMs: 60_000,
    listedOnlyMs: 60_000,
    silenceMs: 5000,
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
