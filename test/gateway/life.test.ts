import type { ChildProcess } from "node:child_process";
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

  test("got SIGTERM, SIGINT or SIGHUP during a run, or saw the end of its stdin", async () => {
    const ways: [string, (child: ChildProcess) => unknown][] = [
      ["SIGTERM", (child) => child.kill("SIGTERM")],
      ["SIGINT", (child) => child.kill("SIGINT")],
      ["SIGHUP", (child) => child.kill("SIGHUP")],
      ["end of stdin", (child) => child.stdin?.end()],
    ];
    const started = [];
    for (const [way, end] of ways) started.push({ way, end, ...(await startBusyGateway()) });
    // All at once: each waits four seconds for a server that is stubborn.
    const ended = await Promise.all(
      started.map(async ({ way, end, child, below }) => {
        end(child);
        return [way, await exitOf(child), await leftAfter(below, 2000)];
      }),
    );
    expect(ended).toEqual(ways.map(([way]) => [way, 0, []]));
  });
});
