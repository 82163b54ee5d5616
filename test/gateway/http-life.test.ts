import { readFileSync } from "node:fs";
import { connect as connectSocket } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Place } from "../cli/command.ts";
import { createHome, exitOf, isAlive, processesUnder, server } from "./connect.ts";
import { serveHttp } from "./http-gateway.ts";

const slow = (ms: number) => `import { slow } from "mcp_tools/data"; await slow({ ms: ${ms} })`;

describe("the end of a gateway over HTTP", () => {
  test("waits a moment for what is under way, cuts the rest and says so, and leaves nothing", async () => {
    const gateway = await serveHttp(createHome({ data: server("data-server") }), "--toolsets", "code,runs");
    const connected = await gateway.connect();
    const modern = await gateway.connect({ modern: true });
    await connected.call("execute_code", { code: slow(1) });
    const short = modern.call("execute_code", { code: slow(1200) });
    const long = connected.call("execute_code", { code: slow(60_000) });
    const underWay = async () => {
      const { structuredContent } = await modern.call("list_runs", {});
      return (structuredContent["result"] as { status: string }[]).filter(({ status }) => status === "running").length;
    };
    while ((await underWay()) < 2) await delay(20);
    const below = processesUnder(gateway.child.pid as number);
    expect(below.length).toBeGreaterThan(3);
    gateway.child.kill("SIGTERM");
    await delay(200);
    await expect(modern.call("search_tools", {})).rejects.toThrow();
    expect((await short).structuredContent).toMatchObject({ status: "ok", result: "done" });
    expect((await long).structuredContent).toMatchObject({ status: "cancelled" });
    expect(await exitOf(gateway.child)).toBe(0);
    expect(below.filter(isAlive)).toEqual([]);
    await Promise.allSettled([connected.client.close(), modern.client.close()]);
  });

  test("is at once by a second signal", async () => {
    const gateway = await serveHttp(createHome({ data: server("data-server") }));
    const connected = await gateway.connect();
    const cut = connected.call("execute_code", { code: slow(60_000) });
    cut.catch(() => {});
    await delay(300);
    gateway.child.kill("SIGTERM");
    await delay(100);
    gateway.child.kill("SIGTERM");
    expect(await exitOf(gateway.child)).toBe(143);
    await connected.client.close();
  });

  test("does not wait for clients that only listen", async () => {
    const gateway = await serveHttp(createHome({}));
    const listening = await gateway.connect();
    const subscribed = await gateway.connect({ modern: true });
    await subscribed.client.listen({ toolsListChanged: true }).catch(() => {});
    await delay(100);
    const started = performance.now();
    gateway.child.kill("SIGINT");
    expect(await exitOf(gateway.child)).toBe(0);
    expect(performance.now() - started).toBeLessThan(2800);
    await Promise.allSettled([listening.client.close(), subscribed.client.close()]);
  });
});

describe("the token", () => {
  test("is made once and shown once", async () => {
    const home = createHome({});
    const first = await serveHttp(home);
    await first[Symbol.asyncDispose]();
    const file = join(home.home, "data", "http-token");
    const token = readFileSync(file, "utf8").trim();
    expect(first.said()).toContain(token);
    const entry = JSON.parse(first.said().trimEnd().split("\n").at(-1) ?? "");
    expect(entry["mcp-coordinator"]).toEqual({
      type: "http",
      url: first.url,
      headers: { Authorization: `Bearer ${token}` },
    });
    const second = await serveHttp(home);
    await second[Symbol.asyncDispose]();
    expect(second.said()).not.toContain(token);
    expect(readFileSync(file, "utf8").trim()).toBe(token);
  });
});

test("a port that is taken is told, with what to do", async () => {
  await using gateway = await serveHttp(createHome({}));
  using place = new Place({});
  const { port } = new URL(gateway.url);
  const { stderr, code } = await place.run("serve", "--http", "--port", port);
  expect(code).toBe(1);
  expect(stderr).toContain(
    `error address_unusable: Another program listens on 127.0.0.1:${port}\n  hint: Give another --port`,
  );
});

test("an address that is not of this machine is told", async () => {
  using place = new Place({});
  const { stderr, code } = await place.run("serve", "--http", "--port", "0", "--host", "192.0.2.1");
  expect([code, stderr]).toEqual([1, expect.stringContaining("error address_unusable: Cannot listen on 192.0.2.1:0")]);
});

test("on all addresses it answers to those of this machine, and to no other name", async () => {
  await using gateway = await serveHttp(createHome({}), "--host", "0.0.0.0");
  const { port } = new URL(gateway.url);
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/mcp`)).status).toBe(401);
  const answer = await say(Number(port), `GET /health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(await say(Number(port), "GET /health HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 403 /);
  expect(await say(Number(port), "no request at all\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
});

function say(port: number, words: string): Promise<string> {
  const socket = connectSocket(port, "127.0.0.1");
  socket.on("error", () => {}); // what was answered before is what counts
  socket.write(words);
  return text(socket);
}
