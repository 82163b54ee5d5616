// The memory of an idle coordinator with all its processes. `--idle` waits until it has let go of what it kept warm.
import { argv } from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { discover, executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { memoryOfTree } from "./processes.mjs";
import { printWhenAlone } from "./report.mjs";
import { manyServers } from "./servers.mjs";

const goals = { warm: 150, idle: 60 };
/** A little more than the coordinator's own idle time. */
const idleMs = 4 * 60_000 + 15_000;
/** What was started for the last run's successor has settled by then. */
const settleMs = 1500;

const emptyServer = fileURLToPath(new URL("empty-server.mjs", import.meta.url));

export async function measure() {
  if (process.platform !== "linux") return [];
  const installation = await install(manyServers);
  const first = await installation.start();
  await discover(first);
  await first.close();

  const coordinator = await installation.start();
  const empty = await connect({ args: [emptyServer] });
  try {
    await coordinator.listTools();
    await coordinator.callTool("search_tools", { query: "read a file" });
    await executeCode(coordinator, "[1, 2, 3].map((number) => number * 2)");
    await delay(settleMs);
    const rows = [memoryRow("memory, warm", coordinator, empty, goals.warm)];
    if (!argv.includes("--idle")) return rows;
    console.error(`waiting ${idleMs / 1000} s for the idle coordinator`);
    await delay(idleMs);
    return [...rows, memoryRow("memory, after the idle time", coordinator, empty, goals.idle)];
  } finally {
    await Promise.all([coordinator.close(), empty.close()]);
    await installation.remove();
  }
}

function memoryRow(what, coordinator, empty, goal) {
  const processes = memoryOfTree(coordinator.pid);
  const ours = sum(processes);
  const floor = sum(memoryOfTree(empty.pid));
  const parts = [...processes]
    .sort((left, right) => right.megabytes - left.megabytes)
    .map(({ name, megabytes }) => `${name} ${megabytes.toFixed(1)}`);
  return {
    what,
    ours: `${ours.toFixed(0)} MB`,
    floor: `${floor.toFixed(0)} MB empty SDK server`,
    ratio: `${(ours / floor).toFixed(1)}x`,
    goal: `<= ${goal} MB`,
    met: ours <= goal,
    notes: [parts.join(", ")],
  };
}

function sum(processes) {
  return processes.reduce((total, { megabytes }) => total + megabytes, 0);
}

await printWhenAlone(import.meta.url, measure);
