// What a run costs in CPU time of all processes, and how many end in a second: `node bench/run-cpu.mjs [CHECKOUT ...] [--rounds 10]
// [--engine cpython]`. Checkouts, each with its dist/, take turns in every round; without one it is this one. Needs Linux and root.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openCpuGroup } from "./cpu-group.mjs";
import { executeCode } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { median, timed } from "./measure.mjs";
import { echoServer } from "./servers.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "10" }, engine: { type: "string", default: "deno" } },
});
const checkouts = positionals.length > 0 ? positionals : [here];
const language = values.engine === "deno" ? "typescript" : "python";
const coordinator = { sandbox: { [language]: values.engine } };

const spacedRuns = 5;
/** By then the next sandbox waits, which is part of what a run costs. */
const pauseMs = 250;
const clients = 8;
const runsOfClient = 8;
const hundredCalls = {
  typescript: `
  import { echo } from "mcp_tools/echo";
  await echo({ message: "first" });
  const started = performance.now();
  for (let call = 0; call < 100; call++) await echo({ message: \`call \${call}\` });
  performance.now() - started;`,
  python: `
import time
from mcp_tools.echo import echo
echo(message="first")
started = time.perf_counter()
for call in range(100): echo(message=f"call {call}")
(time.perf_counter() - started) * 1000`,
};

/** Each gives the figures of one round, by their names. */
const contests = [
  async ({ gateway, group }) => {
    const before = group.milliseconds();
    const walls = [];
    for (let run = 0; run < spacedRuns; run++) {
      walls.push(await timed(() => executeCode(gateway, "", language)));
      await delay(pauseMs);
    }
    const cpu = (group.milliseconds() - before) / spacedRuns;
    return { "spaced: CPU of a run, ms": cpu, "spaced: request to answer, ms": median(walls) };
  },
  async ({ gateway, group }) => {
    const before = group.milliseconds();
    const one = async () => {
      for (let run = 0; run < runsOfClient; run++) await executeCode(gateway, "", language);
    };
    const wall = await timed(() => Promise.all(Array.from({ length: clients }, one)));
    await delay(pauseMs);
    const runs = clients * runsOfClient;
    const cpu = (group.milliseconds() - before) / runs;
    return { "8 at a time: CPU of a run, ms": cpu, "8 at a time: runs a second": (runs / wall) * 1000 };
  },
  async ({ gateway }) => {
    await executeCode(gateway, "", language);
    const inside = await executeCode(gateway, hundredCalls[language], language);
    await delay(pauseMs);
    return { "100 calls right after a run, ms": inside };
  },
];

async function open(checkout, index) {
  const folder = await mkdtemp(join(tmpdir(), "run-cpu-"));
  const config = join(folder, "mcp_servers.json");
  await writeFile(config, JSON.stringify({ mcpServers: { echo: echoServer }, coordinator }));
  const group = openCpuGroup(`run-${index}`);
  const cli = join(resolve(checkout), "dist", "cli.js");
  const command = group.command(process.execPath, cli, "serve", "--config", config);
  const gateway = await connect({
    ...command,
    env: { MCP_COORDINATOR_HOME: join(folder, "data") },
    stderr: "inherit",
  });
  for (let run = 0; run < 10; run++) await executeCode(gateway, hundredCalls[language], language);
  return { checkout, folder, group, gateway };
}

const builds = await Promise.all(checkouts.map(open));
const samples = builds.map(() => []);
console.log(`${values.rounds} rounds, load average ${loadavg()[0].toFixed(2)} before`);
try {
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const contest of contests) {
      for (let turn = 0; turn < builds.length; turn++) {
        const index = (round + turn) % builds.length;
        const figures = await contest(builds[index]);
        if (round > 0) samples[index].push(figures); // the first round warms up
      }
    }
  }
  console.log(`load average ${loadavg()[0].toFixed(2)} after; medians${builds.length > 1 ? " of each checkout" : ""}`);
  for (const name of new Set(samples[0].flatMap(Object.keys))) {
    const medians = samples.map((figures) => median(figures.flatMap((each) => each[name] ?? [])));
    console.log(`${name}: ${medians.map((figure) => figure.toFixed(1)).join(" | ")}`);
  }
} finally {
  for (const { gateway } of builds) await gateway.close();
  await delay(1000); // until what they started has ended too
  for (const { folder, group } of builds) {
    group.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
