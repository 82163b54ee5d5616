import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createHome, createWire, exitOf, isAlive, processesUnder, server, spawnGateway } from "./connect.ts";

// A process never outlives its owner, however that one ends.

const fleet = {
  data: server("data-server"),
  stubborn: server("faulty-server", "stubborn"),
  parent: server("faulty-server", "fork"),
};
const busy = `
  import { slow } from "mcp_tools/data";
  import { echo } from "mcp_tools/stubborn";
  import { call } from "mcp_tools/parent";
  await Promise.all([echo({}), call("echo", {})]);
  console.log("under way");
  await slow({ ms: 60_000 });`;

/** A gateway in the middle of a run, with three servers and a sandbox at work. */
async function startBusyGateway() {
  const child = spawnGateway(createHome(fleet));
  const { send, initialize } = createWire(child);
  await initialize();
  await send("tools/list", {});
  void send("tools/call", { name: "execute_code", arguments: { code: busy } });
  let below: number[] = [];
  // The run has its three servers, a child of one, the sandbox, the compiler and the reaper.
  while (below.length < 7) {
    await delay(50);
    below = processesUnder(child.pid as number);
  }
  await delay(500);
  return { child, below: processesUnder(child.pid as number) };
}

async function leftAfter(pids: readonly number[], milliseconds: number): Promise<number[]> {
  const end = performance.now() + milliseconds;
  while (performance.now() < end && pids.some(isAlive)) await delay(20);
  return pids.filter(isAlive);
}

describe("nothing is left two seconds after the coordinator", () => {
  test("was killed with SIGKILL during a run", async () => {
    const { child, below } = await startBusyGateway();
    expect(below.length).toBeGreaterThanOrEqual(7);
    child.kill("SIGKILL");
    await exitOf(child);
    expect(await leftAfter(below, 2000)).toEqual([]);
  });

  test("saw the end of its stdin during a run", async () => {
    const { child, below } = await startBusyGateway();
    child.stdin?.end();
    expect(await exitOf(child)).toBe(0);
    expect(await leftAfter(below, 2000)).toEqual([]);
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("got %s during a run", async (signal) => {
    const { child, below } = await startBusyGateway();
    child.kill(signal);
    expect(await exitOf(child)).toBe(0);
    expect(await leftAfter(below, 2000)).toEqual([]);
  });
});
