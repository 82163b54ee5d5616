// What many servers cost, 20 tools each: at the very first start, and when they are known from an earlier one. By hand, since to ask
// 1,000 servers takes a minute, and longer where others work:
// node bench/scale.mjs [--data DIR] [--servers 38,100,300,1000] [--rounds 5] [--cli OLD/dist/cli.js,dist/cli.js]
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { readDefinitions, startServers } from "./many-servers.mjs";
import { connect } from "./mcp-client.mjs";
import { median, timed } from "./measure.mjs";

const { values: options } = parseArgs({
  options: {
    data: { type: "string", default: join(import.meta.dirname, "../../shared/data/tool-definitions") },
    servers: { type: "string", default: "0,38,100,300,1000" },
    rounds: { type: "string", default: "5" },
    cli: { type: "string", default: fileURLToPath(new URL("../dist/cli.js", import.meta.url)) },
  },
});

const queries = [
  "read a file",
  "create an issue in the tracker",
  "list open pull requests",
  "take a screenshot of the page",
  "send a message to a channel",
  "draw a pie chart",
  "find documents in a collection",
  "what is the weather tomorrow",
];
/** A model has not read the definitions before. */
const restMs = 3000;
/** For all servers of a first start. */
const patienceMs = 10 * 60_000;

const definitions = readDefinitions(options.data);
const servers = await startServers(definitions);
try {
  for (const count of options.servers.split(",").map(Number)) await measure(count);
} finally {
  servers.close();
}

async function measure(count) {
  const builds = [];
  for (const cli of options.cli.split(",")) builds.push(await install(cli, count));
  try {
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
        build.samples.push(await oneRound(build, 0));
        build.rested.push(await oneRound(build, restMs));
      }
    }
    for (const build of builds) report(count, build);
  } finally {
    for (const { folder } of builds) await rm(folder, { recursive: true, force: true });
  }
}

async function install(cli, count) {
  const folder = await mkdtemp(join(tmpdir(), "scale-"));
  const config = join(folder, "mcp_servers.json");
  await writeFile(config, JSON.stringify({ mcpServers: servers.entries(count) }));
  const env = { MCP_COORDINATOR_HOME: join(folder, "data") };
  const start = () => connect({ args: [cli, "serve", "--config", config], env });
  const first = await start();
  await first.listTools();
  const filling = await timed(() => untilAllAreKnown(first));
  await first.close();
  return { cli, folder, start, filling, samples: [], rested: [] };
}

async function untilAllAreKnown(gateway) {
  for (const deadline = performance.now() + patienceMs; ; await delay(100)) {
    const { structuredContent } = await gateway.callTool("search_tools", { query: "anything", limit: 1 });
    const { length } = structuredContent.missing ?? [];
    if (length === 0) return;
    if (performance.now() > deadline) throw new Error(`${length} servers have not answered`);
  }
}

/** What one start and the searches behind it take, in ms; `Cpu` is the time of all threads of the host, of which there is less noise. */
async function oneRound({ start }, pauseMs) {
  let gateway;
  const init = await timed(async () => {
    gateway = await start();
  });
  const initCpu = cpuOf(gateway.pid);
  let tools;
  const list = await timed(async () => {
    tools = await gateway.listTools();
  });
  await delay(pauseMs);
  const search = async (query) => {
    const before = cpuOf(gateway.pid);
    const wall = await timed(() => gateway.callTool("search_tools", { query }));
    return { wall, cpu: cpuOf(gateway.pid) - before };
  };
  const first = await search("rename a branch");
  const next = [];
  for (const query of queries) next.push(await search(query));
  const nothing = await search("qqqwwweee");
  const pattern = await search("/^create.*issue/");
  const status = readFileSync(`/proc/${gateway.pid}/status`, "utf8");
  const rss = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)[1]) / 1024;
  await gateway.close();
  return { init, initCpu, list, bytes: JSON.stringify(tools).length, first, next, nothing, pattern, rss };
}

function cpuOf(pid) {
  const tasks = `/proc/${pid}/task`;
  const nanoseconds = readdirSync(tasks).map((task) =>
    Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, own) => sum + own, 0) / 1e6;
}

function report(count, { cli, filling, samples, rested }) {
  const middle = (rounds, of) => median(rounds.map(of)).toFixed(1);
  const both = (rounds, of) =>
    `${middle(rounds, (round) => of(round).wall)} ms (CPU ${middle(rounds, (round) => of(round).cpu)})`;
  const nexts = [...samples, ...rested].flatMap(({ next }) => next);
  const slowest = Math.max(...nexts.map(({ wall }) => wall)).toFixed(1);
  console.log(
    [
      `${count} servers, ${20 * count} tools: init ${middle(samples, ({ init }) => init)} ms (CPU ${middle(samples, ({ initCpu }) => initCpu)})`,
      `tools/list ${middle(samples, ({ list }) => list)} ms, ${samples[0].bytes} B`,
      `first search at once ${both(samples, ({ first }) => first)}`,
      `after ${restMs / 1000} s ${both(rested, ({ first }) => first)}`,
      `next 8 ${both(nexts, (one) => one)}, max ${slowest} ms`,
      `nothing found ${both(rested, ({ nothing }) => nothing)}`,
      `/pattern/ ${both(rested, ({ pattern }) => pattern)}`,
      `RSS ${middle(rested, ({ rss }) => rss)} MB`,
      `very first start: all asked after ${(filling / 1000).toFixed(1)} s`,
      `load ${loadavg()[0].toFixed(1)}, ${samples.length} rounds, ${cli}`,
    ].join("\n  "),
  );
}
