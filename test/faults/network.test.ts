import { mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FaultProxy, startProxy } from "./proxy.ts";
import { type Rig, startFaultyHttp, startRig } from "./rig.ts";

// A network that misbehaves between the gateway and a server over HTTP. Each row has a proxy of its own.

const rows = ["F16", "F17", "F30", "F31", "F32", "F33", "F34", "F35", "F35b", "F36", "limited", "slow"] as const;
type Row = (typeof rows)[number];

const ending: (() => unknown)[] = [];
const proxies = {} as Record<Row, FaultProxy>;
let rig: Rig;

beforeAll(async () => {
  const log = join(mkdtempSync(join(tmpdir(), "faults-")), "log");
  const server = await startFaultyHttp(`log=${log}`);
  ending.push(() => server[Symbol.asyncDispose]());
  const servers = await Promise.all(
    rows.map(async (name) => {
      const proxy = await startProxy(server.url);
      proxies[name] = proxy;
      ending.push(() => proxy[Symbol.asyncDispose]());
      // What comes slowly comes whole in a second or two, on a busy machine in many.
      const seconds = name === "F32" ? 15 : 3;
      return [name, { url: proxy.url, log, timeoutSeconds: seconds, startTimeoutSeconds: seconds }] as const;
    }),
  );
  const nowhere = { url: "https://no-such-host.invalid/mcp" };
  rig = await startRig({ ...Object.fromEntries(servers), nowhere, plain: { url: await plainPort() } });
});

afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  for (const end of ending) await end();
});

/** The https address of a port that speaks no TLS. */
async function plainPort(): Promise<string> {
  const server = createServer((socket) => void socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ending.push(() => server.close());
  return `https://127.0.0.1:${(server.address() as { port: number }).port}/mcp`;
}

const unknown = { delivery: "unknown" };

describe.concurrent("a network", () => {
  test("F30 that resets a connection in the middle of an answer makes the call unknown, and the next works", async () => {
    expect((await rig.work("F30", "ok")).text).toBe("done");
    proxies.F30.toxics = { resetPeer: 10 };
    expect((await rig.work("F30", "ok")).error).toMatchObject(unknown);
    proxies.F30.toxics = {};
    expect((await rig.work("F30", "ok")).text).toBe("done");
  });

  test("that closes a connection after some bytes of an answer does the same", async () => {
    expect((await rig.work("limited", "ok")).text).toBe("done");
    proxies.limited.toxics = { limitData: 10 };
    expect((await rig.work("limited", "ok")).error).toMatchObject(unknown);
    proxies.limited.toxics = {};
    expect((await rig.work("limited", "ok")).text).toBe("done");
  });

  test("F31 that is slow delays its own server only, up to the limit", async () => {
    proxies.F31.toxics = { latency: 300 };
    expect((await rig.work("F31", "ok")).text).toBe("done");
    proxies.F31.toxics = { latency: 6000 };
    const late = rig.work("F31", "ok");
    const began = performance.now();
    await rig.checkWell();
    expect(performance.now() - began).toBeLessThan(5000);
    expect((await late).error).toMatchObject({ code: "call_timeout", ...unknown });
  });

  test("F32 that cuts answers into single bytes, or carries 2 kB a second, delivers them whole", async () => {
    proxies.F32.toxics = { slicer: 1 };
    expect((await rig.work("F32", "ok")).text).toBe("done");
    proxies.F32.toxics = { bandwidth: 2000 };
    expect((await rig.work("F32", "ok")).text).toBe("done");
    expect((await rig.work("F32", "big", { megabytes: 1 })).error).toMatchObject({ code: "call_timeout", ...unknown });
  });

  test("F33 that swallows everything, or is down, ends in time and works again afterwards", async () => {
    expect((await rig.work("F33", "ok")).text).toBe("done");
    proxies.F33.toxics = { timeout: true };
    expect((await rig.work("F33", "ok")).error).toMatchObject({ code: "call_timeout", ...unknown });
    proxies.F33.toxics = {};
    await proxies.F33.down();
    const { error } = await rig.work("F33", "ok");
    expect(error?.code).toBe("server_unreachable");
    await proxies.F33.up();
    await delay(500);
    expect((await rig.work("F33", "ok")).text).toBe("done");
  });

  test("that closes late does no harm", async () => {
    proxies.slow.toxics = { slowClose: 500 };
    expect((await rig.work("slow", "ok")).text).toBe("done");
    expect((await rig.work("slow", "ok")).text).toBe("done");
  });

  test("F36 on which a name does not resolve, or TLS fails, is told, and plain HTTP is not tried instead", async () => {
    const [lost, plain] = await Promise.all([rig.work("nowhere", "ok"), rig.work("plain", "ok")]);
    expect(lost.error).toMatchObject({ code: "server_unreachable", delivery: "not_sent" });
    expect(lost.error?.message).toMatch(/ENOTFOUND|EAI_AGAIN/);
    expect(plain.error).toMatchObject({ code: "server_unreachable", delivery: "not_sent" });
    expect(plain.error?.message).toMatch(/SSL|TLS|packet/i);
  });
});

describe.concurrent("a server over HTTP", () => {
  test("F16 that answers with an error is asked once", async () => {
    const { error } = await rig.work("F16", "broken");
    expect(error).toMatchObject({ code: "call_failed", delivery: "failed" });
    expect(error?.message).toContain("HTTP 500");
    expect((await rig.work("F16", "ok")).text).toBe("done");
  });

  test("F17 that loses call after call is left alone, then one call finds out that it is well", async () => {
    for (let lost = 0; lost < 5; lost++) expect((await rig.work("F17", "drop")).error).toMatchObject(unknown);
    const { error, milliseconds } = await rig.work("F17", "ok");
    expect(error).toMatchObject({ code: "server_resting", delivery: "not_sent" });
    expect(milliseconds).toBeLessThan(2500);
    await delay((error?.retryAfterMs ?? 0) + 50);
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => rig.work("F17", "late", { ms: 500 })));
    expect(outcomes.filter(({ text }) => text === "late")).toHaveLength(1);
    expect((await rig.work("F17", "ok")).text).toBe("done");
  });

  test("F34 whose event stream drops during a call is not asked again for it", async () => {
    const { error } = await rig.work("F34", "drop");
    expect(error).toMatchObject({ code: "server_closed", ...unknown });
    expect((await rig.work("F34", "ok")).text).toBe("done");
  });

  test("F35 that asks for a pause gets it, and the caller is told how long", async () => {
    const busy = await rig.work("F35", "busy");
    expect(busy.error).toMatchObject({ code: "call_failed", delivery: "failed", retryAfterMs: 1000 });
    const refused = await rig.work("F35", "ok");
    expect(refused.error).toMatchObject({ code: "server_resting", delivery: "not_sent" });
    await delay((refused.error?.retryAfterMs ?? 0) + 50);
    expect((await rig.work("F35", "ok")).text).toBe("done");
  });

  test("F35 that asks for an hour gets a minute", async () => {
    expect((await rig.work("F35b", "unavailable")).error?.retryAfterMs).toBe(60_000);
  });
});
