// Many runs over one gateway whose servers misbehave at random: does it hold on to anything?
//
//   node scripts/soak.mjs [--runs 10000] [--seed 1] [--parallel 4]
//
// Prints what the gateway and all below it hold, from time to time, and fails when that grows or an answer is wrong.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { memoryOfTree } from "../bench/processes.mjs";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "10000" },
    seed: { type: "string", default: "1" },
    parallel: { type: "string", default: "4" },
  },
});
const runs = Number(values.runs);
const samplesWanted = runs >= 2000 ? 20 : 6;
const faults = [
  "exit",
  "kill",
  "hang",
  "garbage",
  "wrong-id",
  "twice",
  "fail",
  "refuse",
  "partial",
  "notices",
  "late",
  "stderr",
];

const folder = mkdtempSync(join(tmpdir(), "soak-"));
const node = (file, ...args) => ({ command: process.execPath, args: [path(file), ...args] });
const impatient = { timeoutSeconds: 1 };
const mcpServers = {
  well: node("test/servers/data-server.mjs"),
  second: node("test/faults/faulty.mjs"),
  ...Object.fromEntries(
    ["one", "two", "three"].map((name) => [name, { ...node("test/faults/faulty.mjs"), ...impatient }]),
  ),
};
const config = join(folder, "mcp_servers.json");
writeFileSync(config, JSON.stringify({ mcpServers }));

const transport = new StdioClientTransport({
  command: process.execPath,
  args: [
    "--import",
    path("scripts/soak-watch.mjs"),
    path("dist/cli.js"),
    "--config",
    config,
    "--toolsets",
    "code,discovery",
  ],
  env: { PATH: process.env.PATH ?? "", MCP_COORDINATOR_HOME: join(folder, "data") },
  stderr: "pipe",
});
const client = new Client({ name: "soak", version: "1" });
let heard = "";
transport.stderr?.on("data", (chunk) => {
  heard += chunk;
});
await client.connect(transport);
const { pid } = transport;
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent;

/** The same numbers for the same seed. */
function createRandom(seed) {
  let state = Number(seed) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
const random = createRandom(values.seed);
const pick = (list) => list[Math.floor(random() * list.length)];

const expectOk = (answer, wanted) => {
  if (answer?.status !== "ok" || answer.result !== wanted) throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
};
const typed = new Set(["server_closed", "server_resting", "call_timeout", "call_failed", "server_start_failed"]);

/** The sorts of runs, with how often each comes. */
const sorts = [
  [
    60,
    async (n) =>
      expectOk(
        await call("execute_code", {
          code: `import { customers } from "mcp_tools/well"; (await customers()).customers.length + ${n}`,
        }),
        100 + n,
      ),
  ],
  [
    10,
    async (n) =>
      expectOk(
        await call("execute_code", {
          code: `import { work } from "mcp_tools/second"; (await Promise.all([work({ do: "ok" }), work({ do: "pid" })])).length + ${n}`,
        }),
        2 + n,
      ),
  ],
  [
    5,
    async () => {
      const code = `import { work } from "mcp_tools/${pick(["one", "two", "three"])}"; try { await work(${JSON.stringify({ do: pick(faults), ms: 1500 })}) } catch (error) { if (!error.delivery) throw error; error.code }`;
      const { status, result, error } = await call("execute_code", { code, timeout: 2 });
      if (
        status === "timeout" ||
        (status === "ok" && (result === undefined || typed.has(result) || /done|late|first/.test(result)))
      )
        return;
      throw new Error(`wrong end of a fault: ${JSON.stringify({ status, result, error, code })}`);
    },
  ],
  [3, async (n) => expectOk(await call("execute_code", { code: `${n} + 1`, language: "python" }), n + 1)],
  [
    5,
    async (n) => {
      const { status } = await call("execute_code", { code: `throw new Error("wanted ${n}")` });
      if (status !== "error") throw new Error(`wrong end: ${status}`);
    },
  ],
  [5, async () => void (await call("search_tools", { query: pick(["customers", "work", "delete", "orders"]) }))],
  [
    5,
    async () => void (await call("call_tool", { server_name: "well", tool_name: "orders", arguments: { count: 500 } })),
  ],
];
const total = sorts.reduce((sum, [weight]) => sum + weight, 0);

async function runOne(n) {
  let left = random() * total;
  for (const [weight, run] of sorts) {
    left -= weight;
    if (left < 0) return run(n);
  }
}

async function readSample(done) {
  heard = "";
  process.kill(pid, "SIGUSR2");
  while (!/^soak .*\n/m.test(heard)) await delay(20);
  const { heapUsed, external, resources } = JSON.parse(/^soak (.*)$/m.exec(heard)[1]);
  const tree = memoryOfTree(pid);
  return {
    runs: done,
    heapMb: heapUsed / 2 ** 20,
    externalMb: external / 2 ** 20,
    residentMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024,
    allMb: tree.reduce((sum, { megabytes }) => sum + megabytes, 0),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: tree.length,
    timers: resources.Timeout ?? 0,
    resources: Object.values(resources).reduce((sum, count) => sum + count, 0),
  };
}

/** What it gains in a thousand runs, by the least squares of the later two thirds. */
function slope(samples, field) {
  const later = samples.slice(Math.floor(samples.length / 3));
  const mean = (read) => later.reduce((sum, sample) => sum + read(sample), 0) / later.length;
  const [x, y] = [mean(({ runs: at }) => at), mean((sample) => sample[field])];
  const above = later.reduce((sum, sample) => sum + (sample.runs - x) * (sample[field] - y), 0);
  return (1000 * above) / later.reduce((sum, sample) => sum + (sample.runs - x) ** 2, 0);
}

const show = (sample) =>
  Object.entries(sample)
    .map(([name, value]) => `${name} ${Math.round(value * 10) / 10}`)
    .join("  ");
console.log(`seed ${values.seed}, ${runs} runs, ${values.parallel} at a time`);
const failures = [];
// What is started once has started by then: servers, checkers, the sandboxes of both languages.
for (const [, run] of [...sorts, ...sorts]) await run(0);
const samples = [];
const began = performance.now();
let next = 0;
const every = Math.ceil(runs / samplesWanted);
const worker = async (until) => {
  while (next < until) {
    const n = next++;
    await runOne(n).catch((error) => failures.push(`run ${n}: ${error.message}`));
  }
};
while (next < runs) {
  const until = Math.min(runs, next + every);
  await Promise.all(Array.from({ length: Number(values.parallel) }, () => worker(until)));
  // What ends in the background has ended by then.
  await delay(300);
  samples.push(await readSample(next));
  console.log(show(samples.at(-1)));
}
const seconds = (performance.now() - began) / 1000;
await client.close();
rmSync(folder, { recursive: true, force: true });

const growth = Object.fromEntries(
  ["heapMb", "externalMb", "residentMb", "allMb", "descriptors", "processes", "timers", "resources"].map((field) => [
    field,
    slope(samples, field),
  ]),
);
console.log(`gain in 1,000 runs: ${show(growth)}; ${seconds.toFixed(0)} s, ${failures.length} wrong answers`);
// A short soak says nothing of megabytes: V8 is still warming up. Faulty servers come and go.
const limits = { descriptors: 2, processes: 1, timers: 2, resources: 2, heapMb: 1, residentMb: 3 };
const shortLimits = { descriptors: 20, processes: 6, timers: 5, resources: 10 };
const gains =
  runs >= 2000
    ? growth
    : Object.fromEntries(Object.keys(growth).map((field) => [field, samples.at(-1)[field] - samples[0][field]]));
for (const [field, most] of Object.entries(runs >= 2000 ? limits : shortLimits)) {
  if (gains[field] > most) failures.push(`${field} grows by ${gains[field].toFixed(1)}`);
}
for (const failure of failures.slice(0, 20)) console.error(failure.slice(0, 400));
process.exitCode = failures.length > 0 ? 1 : 0;
