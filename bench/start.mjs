// From the start of the process to its answers, with many servers and with none, against an SDK server that does nothing.
import { fileURLToPath } from "node:url";
import { discover, executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { median, takeTurns, timed } from "./measure.mjs";
import { printWhenAlone, timeRow } from "./report.mjs";
import { manyServers } from "./servers.mjs";

const goal = 1.3;
const rounds = 7;
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
        goal,
      }),
      timeRow({
        what: "ready, none configured",
        ours: times.readyNone,
        floor: times.readyEmpty,
        floorName: "empty SDK server",
      }),
      timeRow({
        what: `cold run, ${servers} cached servers`,
        ours: times.runCold,
        floor: times.callCold,
        floorName: "call of an empty SDK server",
      }),
    ];
  } finally {
    await Promise.all([many.remove(), none.remove()]);
  }
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
