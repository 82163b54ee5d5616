import { rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { createHome, exitOf, isAlive } from "./connect.ts";
import { type HttpGateway, serveHttpBy } from "./http-gateway.ts";

// The host's one thread stands still, in work that was planted: what its clients, its runs and its owner see of that.

const limits = { tellMs: 1000, endMs: 4000, killMs: 4000 };
const folder = fileURLToPath(new URL(`../../node_modules/.tmp/standing-${process.pid}`, import.meta.url));
const program = `${folder}/gateway.mjs`;

beforeAll(() => {
  bundleProgram(new URL("./standing-gateway.fixture.ts", import.meta.url), program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(): Promise<HttpGateway> {
  const place = createHome({});
  return serveHttpBy(place, [program, place.config, JSON.stringify(limits)]);
}

const stalled = (message: RegExp) => ({
  isError: true,
  structuredContent: { error: { code: "host_stalled", message: expect.stringMatching(message) } },
});

describe("an operation that stands still", () => {
  test.each(["a loop", "a loop after a wait", "a pattern"])(
    "in %s is named, ended and answered as such, and everybody else is answered again",
    async (query) => {
      await using gateway = await start();
      await using asking = await gateway.connect();
      await using other = await gateway.connect();
      const answer = asking.call("search_tools", { query });
      await delay(200);
      expect(await other.call("search_tools", { query: "anything" })).toMatchObject({
        structuredContent: { total: 0 },
      });
      expect(await answer).toMatchObject(stalled(/^The host stood still for [\d.]+ s in search_tools; it was ended\./));
      expect(gateway.said()).toMatch(
        /mcp-coordinator: The host has stood still for [\d.]+ s in search_tools; it will be/,
      );
      expect(gateway.said()).toMatch(
        /error host_stalled: the host stood still for 4 s in search_tools; what it was doing/,
      );
      expect(await asking.call("search_tools", { query: "anything" })).toMatchObject({
        structuredContent: { total: 0 },
      });
    },
  );

  test("for a guest is an error that the guest can catch; a run that has no time left ends", async () => {
    await using gateway = await start();
    await using client = await gateway.connect();
    const code =
      'import { search } from "coordinator";\nawait search({ query: "a loop" }).catch((error) => error.code)';
    expect(await client.call("execute_code", { code, timeout: 60 })).toMatchObject({
      structuredContent: { status: "ok", result: "host_stalled" },
    });
    expect(await client.call("execute_code", { code, timeout: 2 })).toMatchObject({
      structuredContent: { status: "timeout" },
    });
  });

  test("in a transaction leaves nothing of it", async () => {
    await using gateway = await start();
    await using client = await gateway.connect();
    const search = (query: string) => client.call("search_tools", { query });
    expect(await search("a transaction")).toMatchObject(stalled(/in search_tools/));
    expect(await search("anything")).toMatchObject({ content: [{ text: "rows: " }] });
    expect(await search("another transaction")).toMatchObject({ content: [{ text: "rows: whole" }] });
  });
});

describe("a process that stands still", () => {
  /** Asks without waiting for the answer: nobody will be there to give it. */
  const standStill = async (gateway: HttpGateway, query: string): Promise<void> => {
    const { call, client } = await gateway.connect();
    call("search_tools", { query }).catch(() => {});
    gateway.child.once("exit", () => void client.close());
    await delay(500);
  };

  test("ends by SIGTERM", async () => {
    await using gateway = await start();
    await standStill(gateway, "a loop");
    gateway.child.kill("SIGTERM");
    expect(await exitOf(gateway.child)).toBe(0);
  });

  test("in native code, which nobody can end, ends as a whole, and says so", async () => {
    await using gateway = await start();
    await standStill(gateway, "native code");
    await exitOf(gateway.child);
    expect(gateway.child.signalCode).toBe("SIGKILL");
    expect(gateway.said()).toMatch(/error host_stalled: the host has stood still for [\d.]+ s and cannot be woken/);
  });

  test("because it was stopped goes on as if nothing had been", async () => {
    await using gateway = await start();
    await using client = await gateway.connect();
    gateway.child.kill("SIGSTOP");
    await delay(limits.endMs + limits.killMs + 1000);
    gateway.child.kill("SIGCONT");
    await delay(2000);
    expect(await client.call("search_tools", { query: "anything" })).toMatchObject({ structuredContent: { total: 0 } });
    expect(isAlive(gateway.child.pid as number)).toBe(true);
    expect(gateway.said()).not.toContain("stood still");
  });
});
