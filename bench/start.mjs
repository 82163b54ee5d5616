// From the start of the process to its answers, with many servers and with none, against an SDK server that does nothing; and what a
// command takes that starts, answers and ends.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { openCpuGroup } from "./cpu-group.mjs";
import { discover, executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { median, takeTurns, timed } from "./measure.mjs";
import { milliseconds, printWhenAlone, timeRow } from "./report.mjs";
import { manyServers } from "./servers.mjs";

/** Ratios, and the CPU time of a command. */
const goals = { many: 1.1, none: 1.6, searchMs: 150 };
const rounds = 7;
const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const emptyServer = fileURLToPath(new URL("empty-server.mjs", import.meta.url));

export async function measure() {
  const many = await install(manyServers);
  const none = await install(() => ({}));
  try {
    const first = await many.start();
    await discover(first);
    await first.close();

    const emptySdkServer = () => connect({ args: [emptyServer] });
    const ready = (server) => server.listTools();
    const run = async (server) => {
      await server.listTools();
      await executeCode(server, "");
    };
    const call = async (server) => {
      await server.listTools();
      await server.callTool("nothing");
    };
    const samples = await takeTurns(
      {
        readyMany: () => fromStart(many.start, ready),
        readyNone: () => fromStart(none.start, ready),
        readyEmpty: () => fromStart(emptySdkServer, ready),
        runCold: () => fromStart(many.start, run),
        callCold: () => fromStart(emptySdkServer, call),
      },
      rounds,
    );
    const times = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
    const servers = Object.keys(manyServers(many.files)).length;
    return [
      timeRow({
        what: `ready, ${servers} cached servers`,
        ours: times.readyMany,
        floor: times.readyNone,
        floorName: "none configured",
        goal: goals.many,
      }),
      timeRow({
        what: "ready, none configured",
        ours: times.readyNone,
        floor: times.readyEmpty,
        floorName: "empty SDK server",
        goal: goals.none,
      }),
      timeRow({
        what: `cold run, ${servers} cached servers`,
        ours: times.runCold,
        floor: times.callCold,
        floorName: "call of an empty SDK server",
      }),
      ...searchRows(many, servers),
    ];
  } finally {
    await Promise.all([many.remove(), none.remove()]);
  }
}

/** The CPU time of all processes of a search on the command line; none where it cannot be counted. */
function searchRows({ config, env }, servers) {
  if (process.platform !== "linux" || process.getuid() !== 0) return [];
  const group = openCpuGroup("search");
  const cpuOf = (...words) => {
    const before = group.milliseconds();
    const { command, args } = group.command(process.execPath, ...words);
    const { status } = spawnSync(command, args, { env: { PATH: process.env.PATH, ...env }, stdio: "ignore" });
    if (status !== 0) throw new Error(`${words.join(" ")} ended with ${status}`);
    return group.milliseconds() - before;
  };
  const samples = Array.from({ length: rounds }, () => [
    cpuOf(cli, "search", "read a file", "--config", config),
    cpuOf("-e", "0"),
  ]);
  group.remove();
  const [ours, floor] = [0, 1].map((index) => median(samples.map((sample) => sample[index])));
  return [
    {
      ...timeRow({ what: `CPU of a search, ${servers} cached servers`, ours, floor, floorName: "node -e 0" }),
      goal: `<= ${milliseconds(goals.searchMs)}`,
      met: ours <= goals.searchMs,
    },
  ];
}

/** The time until the work is done, from before the process exists; ending it is not in it. */
async function fromStart(start, work) {
  let server;
  const time = await timed(async () => {
    server = await start();
    await work(server);
  });
  await server.close();
  return time;
}

await printWhenAlone(import.meta.url, measure);
