// Two builds side by side: `node bench/compare.mjs OLD [NEW] [--rounds 30] [--engine cpython]`, each a checkout with its dist/. Every round measures
// both, the order changing from round to round; a ratio is of the same round. CPU is that of all processes of a gateway.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openCpuGroup } from "./cpu-group.mjs";
import { executeCode } from "./gateway.mjs";
import { sequential } from "./guests.mjs";
import { connect } from "./mcp-client.mjs";
import { median, timed } from "./measure.mjs";
import { milliseconds } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const here = fileURLToPath(new URL("..", import.meta.url));
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: "string", default: "30" }, engine: { type: "string", default: "deno" } },
});
const [old, fresh = here] = positionals;
if (old === undefined) throw new Error("Name the checkout of the old build: node bench/compare.mjs OLD [NEW]");

const runsOfRound = 5;
/** By then a used sandbox has been replaced, which is part of what a run costs. */
const refillMs = 250;
const language = values.engine === "deno" ? "typescript" : "python";
const calls = sequential(100)[language];
const coordinator = { sandbox: { [language]: values.engine } };

/** Each gives a time in milliseconds for one round. */
const contests = {
  "start to tools/list": async (build) => {
    const before = build.starts.milliseconds();
    const [started, wall] = await startOf(build, build.starts);
    const cpu = build.starts.milliseconds() - before;
    await started.close();
    return { wall, cpu };
  },
  "warm empty run, checked": (build) =>
    withCpu(build, async () => {
      let sum = 0;
      for (let run = 0; run < runsOfRound; run++) {
        sum += await timed(() => executeCode(build.gateway, "", language));
        await delay(refillMs);
      }
      return sum / runsOfRound;
    }),
  "100 sequential calls": (build) =>
    withCpu(build, async () => {
      const inside = await executeCode(build.gateway, calls, language);
      await delay(refillMs);
      return inside;
    }),
};

async function withCpu({ group }, work) {
  const before = group.milliseconds();
  const wall = await work();
  return { wall, cpu: group.milliseconds() - before };
}

async function startOf({ cli, config, env }, group) {
  const started = performance.now();
  const command = group.command(process.execPath, cli, "serve", "--config", config);
  const gateway = await connect({ ...command, env, stderr: "inherit" });
  await gateway.listTools();
  return [gateway, performance.now() - started];
}

async function open(checkout, index) {
  const folder = await mkdtemp(join(tmpdir(), "compare-"));
  const build = {
    folder,
    cli: join(resolve(checkout), "dist", "cli.js"),
    config: join(folder, "mcp_servers.json"),
    env: { MCP_COORDINATOR_HOME: join(folder, "data") },
    group: openCpuGroup(`${index}`),
    starts: openCpuGroup(`${index}-starts`),
  };
  await writeFile(build.config, JSON.stringify({ mcpServers: { echo: echoServer }, coordinator }));
  const [gateway] = await startOf(build, build.group);
  for (let run = 0; run < 3; run++) await executeCode(gateway, calls, language);
  return { ...build, gateway };
}

/** The middle of the ratios, and between which values it lies with 95%, by drawing from them again and again. */
function ratioOf(olds, news) {
  const ratios = news.map((value, round) => value / olds[round]);
  const drawn = Array.from({ length: 2000 }, () =>
    median(ratios.map(() => ratios[Math.floor(Math.random() * ratios.length)])),
  ).sort((left, right) => left - right);
  const [low, high] = [drawn[50], drawn[1949]];
  return `${median(ratios).toFixed(3)}x (${low.toFixed(3)} to ${high.toFixed(3)})`;
}

const builds = [await open(old, 0), await open(fresh, 1)];
try {
  for (const [name, contest] of Object.entries(contests)) {
    const samples = builds.map(() => []);
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const index of round % 2 === 0 ? [0, 1] : [1, 0]) {
        const sample = await contest(builds[index]);
        if (round > 0) samples[index].push(sample);
      }
    }
    for (const kind of ["wall", "cpu"]) {
      const [olds, news] = samples.map((list) => list.map((sample) => sample[kind]));
      const medians = `${milliseconds(median(olds))} -> ${milliseconds(median(news))}`;
      console.log(`${name}, ${kind}: ${medians}, ${ratioOf(olds, news)}`);
    }
  }
} finally {
  for (const { gateway } of builds) await gateway.close();
  await delay(1000); // until what they started has ended too
  for (const { folder, group, starts } of builds) {
    for (const each of [group, starts]) each.remove();
    await rm(folder, { recursive: true, force: true });
  }
}
