// Every engine: its first run on a machine and in a new coordinator, a warm run, and 100 sequential calls, against the bare interpreter and
// a bare MCP client. An engine that cannot run here is left out, with the reason. The README has the usual engines' figures
// from bench/calls.mjs and bench/warm-run.mjs.
import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { install } from "./gateway.mjs";
import { bareCalls, sequential } from "./guests.mjs";
import { connect } from "./mcp-client.mjs";
import { median, roundsOr, takeTurns, timed, timedRested } from "./measure.mjs";
import { printWhenAlone, timeRow } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const rounds = roundsOr(9);
const coldStarts = 4;
/** A client's user needs longer to ask the first question; by then the coordinator is ready. */
const startMs = 2000;
const calls = 100;
const uncheckedServer = fileURLToPath(new URL("unchecked-server.mjs", import.meta.url));

const engines = [
  { engine: "deno", language: "typescript", warmMs: 5, callsRatio: 1.5 },
  { engine: "cpython", language: "python", coldMs: 80, warmMs: 10, callsRatio: 1.6 },
  { engine: "pyodide", language: "python", coldMs: 1000, restMs: 1000 },
  { engine: "container", language: "python", warmMs: 15, restMs: 2000 },
  { engine: "container", language: "typescript", warmMs: 15, restMs: 2000 },
];

export async function measure() {
  const interpreter = median(Array.from({ length: 9 }, () => timeOf("python3", ["-c", "pass"])));
  const rows = [];
  for (const subject of engines) {
    try {
      rows.push(...(await measureEngine(subject, interpreter)).map((row) => ({ ...row, published: false })));
    } catch (error) {
      console.error(`${subject.engine} (${subject.language}) left out: ${error.message}`);
    }
  }
  return rows;
}

async function measureEngine({ engine, language, coldMs, warmMs, callsRatio, restMs = 0 }, interpreter) {
  const installation = await install(() => ({ echo: echoServer }), { sandbox: { [language]: engine } });
  const start = () =>
    connect({ args: [uncheckedServer, installation.config], env: installation.env, stderr: "inherit" });
  const run = async (coordinator, code) => {
    const { structuredContent } = await coordinator.callTool("run", { code, language });
    if (structuredContent.status !== "ok") throw new Error(structuredContent.error.message);
    return structuredContent.result;
  };
  const bare = await connect(echoServer);
  const open = [];
  try {
    const starts = [];
    for (let turn = 0; turn < coldStarts; turn++) {
      const coordinator = await start();
      open.push(coordinator);
      await coordinator.listTools();
      await delay(startMs);
      starts.push(await timedRested(() => run(coordinator, "1 + 1")));
    }
    const [coordinator] = open;
    const samples = await takeTurns(
      {
        warm: async () => {
          await delay(restMs); // until the next sandbox waits
          return timedRested(() => run(coordinator, "1 + 1"));
        },
        sequential: async () => {
          let inside;
          await timedRested(async () => {
            inside = await run(coordinator, sequential(calls)[language]);
          });
          return inside;
        },
        floor: () => timed(() => bareCalls.sequential(bare, calls)),
      },
      rounds,
    );
    // The first coordinator asked the system for what the later ones know.
    const [firstEver, ...cold] = starts;
    const name = `${engine}, ${language}`;
    const inProcess = { floor: interpreter, floorName: "python3 -c pass" };
    const within = (ours, limit) => limit !== undefined && { goal: `<= ${limit} ms`, met: ours <= limit };
    return [
      timeRow({ what: `${name}: first run ever`, ours: firstEver, ...inProcess }),
      { ...timeRow({ what: `${name}: first run`, ours: median(cold), ...inProcess }), ...within(median(cold), coldMs) },
      {
        ...timeRow({ what: `${name}: warm run`, ours: median(samples.warm), ...inProcess }),
        ...within(median(samples.warm), warmMs),
      },
      timeRow({
        what: `${name}: ${calls} sequential calls`,
        ours: median(samples.sequential),
        floor: median(samples.floor),
        floorName: "bare client",
        goal: callsRatio,
      }),
    ];
  } finally {
    await Promise.all([bare, ...open].map((client) => client.close()));
    await installation.remove();
  }
}

function timeOf(command, args) {
  const started = performance.now();
  spawnSync(command, args);
  return performance.now() - started;
}

await printWhenAlone(import.meta.url, measure);
