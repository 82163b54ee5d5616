import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { RemoteServer } from "../config/server.ts";
import { failureOf, type HttpFixture, remote, startHttpServer, textOf } from "./test-servers.fixture.ts";
import { createUpstreams, type Upstreams, type UpstreamsOptions } from "./upstreams.ts";

const opened: AsyncDisposable[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function serve(...kind: [string, ...string[]]): Promise<HttpFixture> {
  const server = await startHttpServer(...kind);
  opened.push(server);
  return server;
}

function open(server: RemoteServer, options?: UpstreamsOptions): Upstreams {
  const upstreams = createUpstreams([server], options);
  opened.push(upstreams);
  return upstreams;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface Structured {
  readonly structuredContent: Readonly<Record<string, unknown>>;
}

const kinds: [string, ...string[]][] = [["streamable"], ["streamable", "json"], ["sse"]];

describe.each(kinds)("over HTTP: %s %s", (...kind) => {
  test("tools are listed and called, with the configured headers on every request", async () => {
    const { url } = await serve(...kind);
    const upstreams = open(remote(url, { headers: { Authorization: "Bearer sk-123456", "X-Team": "blue" } }));
    expect(await upstreams.to("tested").list()).toEqual({
      tools: [{ name: "echo", inputSchema: { type: "object" } }],
      info: { name: "http-fixture", version: "1.0.0" },
    });
    expect(textOf(await upstreams.to("tested").call("echo", { word: "größer" }))).toBe('{"word":"größer"}');
    const headers = JSON.parse(textOf(await upstreams.to("tested").call("headers", {})));
    expect(headers).toMatchObject({ authorization: "Bearer sk-123456", "x-team": "blue" });
    expect(upstreams.state("tested")).toMatchObject({ state: "ready" });
  });

  test("a connection that breaks during a call makes it unknown at once; the next call works", async () => {
    const { url } = await serve(...kind);
    const upstreams = open(remote(url));
    const error = await failureOf(upstreams.to("tested").call("break", {}));
    expect(error).toMatchObject({ delivery: "unknown", tool: "break" });
    expect(["server_closed", "server_unreachable"]).toContain(error.code);
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });

  test("a result of 60 MB comes whole", async () => {
    const { url } = await serve(...kind);
    expect(textOf(await open(remote(url)).to("tested").call("big", { megabytes: 60 })).length).toBe(60 * 1024 * 1024);
  });

  test("100,000 rows of 10 columns come whole; an answer of very many values is refused before it is parsed", async () => {
    const { url } = await serve(...kind);
    const upstreams = open(remote(url));
    const { structuredContent } = (await upstreams.to("tested").call("rows", { count: 100_000 })) as Structured;
    expect(structuredContent["rows"]).toHaveLength(100_000);
    const error = await failureOf(upstreams.to("tested").call("lists", { count: 1_500_000 }));
    expect(error).toMatchObject({ delivery: "unknown", tool: "lists" });
    expect(error.message).toMatch(/more than 2,000,000 values in one answer: ask for less at a time$/);
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });

  test("a server that is gone is not_sent, and used again when it is back", async () => {
    const server = await serve(...kind);
    const upstreams = open(remote(server.url));
    await upstreams.to("tested").call("echo", {});
    server.child.kill();
    await once(server.child, "exit");
    let error = await failureOf(upstreams.to("tested").call("echo", {}));
    // It may have been written to a connection whose end we had not seen yet.
    if (error.delivery === "unknown") error = await failureOf(upstreams.to("tested").call("echo", {}));
    expect(error).toMatchObject({ code: "server_unreachable", delivery: "not_sent" });
    await serve(...kind, `port=${new URL(server.url).port}`);
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });
});

describe("a remote server that cannot be used", () => {
  test.each([
    ["status=401", "HTTP 401", /wants authorization: set "headers" of "tested"/],
    ["status=403", "HTTP 403", /wants authorization/],
    ["status=404", "HTTP 404", /check "url"/],
    ["status=503", "HTTP 503", /busy/],
  ])("says its status and host, and never a header: %s", async (kind, words, hint) => {
    const { url } = await serve(kind);
    const error = await failureOf(
      open(remote(url, { headers: { Authorization: "Bearer sk-123456" } }))
        .to("tested")
        .call("echo", {}),
    );
    expect(error).toMatchObject({
      code: "server_unreachable",
      delivery: "not_sent",
      message: `Cannot reach upstream "tested": ${new URL(url).host} answered ${words}`,
      hint: expect.stringMatching(hint),
    });
    expect(JSON.stringify([error, error.cause, error.stack])).not.toContain("sk-123456");
  });

  test.each(["http", "sse", "auto"] as const)("is refused by name when nobody listens: %s", async (transport) => {
    const error = await failureOf(open(remote("http://127.0.0.1:1/mcp", { transport })).to("tested").call("echo", {}));
    expect(error).toMatchObject({
      code: "server_unreachable",
      delivery: "not_sent",
      message: 'Cannot reach upstream "tested": 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    });
  });

  test.each(["http", "sse"] as const)("is given up when it never answers: %s", async (transport) => {
    const { url } = await serve("silent");
    const upstreams = open(remote(url, { transport }), { connectTimeoutMs: 300 });
    expect(await failureOf(upstreams.to("tested").call("echo", {}))).toMatchObject({
      code: "server_unreachable",
      delivery: "not_sent",
      message: 'Cannot reach upstream "tested": no answer within 0.3 s',
    });
  });

  test("but speaks SSE is found out only when the configuration leaves it open", async () => {
    const { url } = await serve("sse");
    expect(
      await failureOf(
        open(remote(url, { transport: "http" }))
          .to("tested")
          .list(),
      ),
    ).toMatchObject({
      code: "server_unreachable",
    });
    expect(
      (
        await open(remote(url, { transport: "sse" }))
          .to("tested")
          .list()
      ).info.name,
    ).toBe("http-fixture");
  });
});

describe("a remote server", () => {
  test("that answers with more than a result may have fails that call only", async () => {
    const { url } = await serve("streamable", "json");
    const upstreams = open(remote(url));
    const error = await failureOf(upstreams.to("tested").call("big", { megabytes: 70 }));
    expect(error).toMatchObject({ code: "call_failed", delivery: "unknown" });
    expect(error.message).toContain("more than 68 MB in one answer");
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });

  test("of others that speaks SSE works whole, answers of 100 kB included", async () => {
    const port = await freePort();
    const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
    const child = spawn(process.execPath, [program, "sse"], { env: { ...process.env, PORT: String(port) } });
    opened.push({ [Symbol.asyncDispose]: async () => void child.kill() });
    const output = createInterface({ input: child.stderr });
    for await (const line of output) if (line.includes("running on port")) break;
    child.stderr.resume();
    const upstreams = open(remote(`http://127.0.0.1:${port}/sse`));
    expect((await upstreams.to("tested").list()).tools.length).toBeGreaterThan(10);
    const message = "x".repeat(100_000);
    const echoed = await Promise.all([1, 2, 3].map(() => upstreams.to("tested").call("echo", { message })));
    expect(echoed.map(textOf)).toEqual(Array(3).fill(`Echo: ${message}`));
  });

  test("that has no handshake is spoken to in its own way", async () => {
    const { url } = await serve("modern");
    const upstreams = open(remote(url));
    const { tools, info } = await upstreams.to("tested").list();
    expect(tools[0]).toMatchObject({ name: "hello" });
    expect(info).toMatchObject({ name: "modern-fixture" });
    expect(textOf(await upstreams.to("tested").call("hello", {}))).toBe("hello from 2026");
    expect(textOf(await upstreams.to("tested").call("bare", {}))).toBe("no resultType");
  });

  test("that has no handshake gets the arguments that it wants as headers, from the first call on", async () => {
    const { url } = await serve("modern");
    const upstreams = open(remote(url));
    expect(textOf(await upstreams.to("tested").call("near", { region: "eu" }))).toBe("eu");
    expect(textOf(await upstreams.to("tested").call("near", { region: "größer" }))).toBe("=?base64?Z3LDtsOfZXI=?=");
    expect(textOf(await upstreams.to("tested").call("near", {}))).toBe("none");
  });

  test("that has no handshake is listened to for changed tools, again when the stream was cut", async () => {
    const { url } = await serve("modern");
    const changes: string[] = [];
    const upstreams = open(remote(url), { onToolsChanged: (server) => changes.push(server) });
    const untilTold = async (count: number) => {
      while (textOf(await upstreams.to("tested").call("changed", {})) === "0") await delay(20);
      while (changes.length < count) await delay(5);
    };
    await untilTold(1);
    const before = changes.length;
    await upstreams.to("tested").call("cut", {});
    // Coming back counts as a change: nobody knows what was missed.
    while (changes.length === before) await delay(5);
    await untilTold(before + 2);
  });

  test("is spoken to as the configuration says", async () => {
    const { url } = await serve("streamable");
    expect(
      await failureOf(
        open(remote(url, { protocolEra: "modern" }))
          .to("tested")
          .list(),
      ),
    ).toMatchObject({
      code: "server_unreachable",
    });
    const { url: modern } = await serve("modern");
    expect(
      await failureOf(
        open(remote(modern, { protocolEra: "legacy" }))
          .to("tested")
          .list(),
      ),
    ).toMatchObject({
      code: "server_unreachable",
    });
    expect(
      (
        await open(remote(modern, { protocolEra: "modern" }))
          .to("tested")
          .list()
      ).tools,
    ).toHaveLength(5);
  });

  test("that forgets its sessions fails one call, which was not run, and serves the next", async () => {
    const { url } = await serve("streamable");
    const upstreams = open(remote(url));
    await upstreams.to("tested").call("forget", {});
    const error = await failureOf(upstreams.to("tested").call("echo", {}));
    expect(error).toMatchObject({ code: "call_failed", delivery: "failed" });
    expect(error.message).toContain("answered HTTP 404: Session not found");
    expect(textOf(await upstreams.to("tested").call("echo", {}))).toBe("{}");
  });

  test.each([["streamable", "stream"], ["sse"]] as [string, ...string[]][])(
    "tells that its tools have changed: %s",
    async (...kind) => {
      const { url } = await serve(...kind);
      const changed = await new Promise<string>((resolve, reject) => {
        const upstreams = open(remote(url), { onToolsChanged: resolve });
        upstreams.to("tested").call("changed", {}).catch(reject);
      });
      expect(changed).toBe("tested");
    },
  );

  test("that answers with something else fails that call at once", async () => {
    const { url } = await serve("streamable", "json");
    const error = await failureOf(open(remote(url)).to("tested").call("nonsense", {}));
    expect(error).toMatchObject({ code: "call_failed", delivery: "unknown" });
    expect(error.message).toMatch(/the answer cannot be used: it is no JSON-RPC message$/);
  });

  test("is not asked again for a call that timed out", async () => {
    const { url } = await serve("streamable");
    const upstreams = open(remote(url));
    expect(textOf(await upstreams.to("tested").call("requests", {}))).toBe("1");
    expect(await failureOf(upstreams.to("tested").call("hang", {}, { timeoutMs: 50 }))).toMatchObject({
      code: "call_timeout",
      delivery: "unknown",
    });
    expect(textOf(await upstreams.to("tested").call("requests", {}))).toBe("3");
  });
});
