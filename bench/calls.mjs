// 100 tool calls from a guest, against the same calls by a bare client on a server of the same kind.
import { executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { median, takeTurns, timedRested } from "./measure.mjs";
import { printWhenAlone, timeRow } from "./report.mjs";
import { echoServer, officialServers } from "./servers.mjs";

const calls = 100;
const waitMs = 50;
const goal = 1.3;
const rounds = 9;

const scenarios = [
  { what: `${calls} sequential calls, echo server`, server: "echo", kind: "sequential" },
  { what: `${calls} sequential calls, everything server`, server: "everything", kind: "sequential" },
  { what: `${calls} parallel calls of ${waitMs} ms, default limit`, server: "echo", kind: "parallel" },
  {
    what: `${calls} parallel calls of ${waitMs} ms, parallelToolCalls ${calls}`,
    server: "echo",
    kind: "parallel",
    settings: { sandbox: { limits: { parallelToolCalls: calls } } },
  },
];

/** Guests give the milliseconds from the first call to the last. One call before that starts the server. */
const guests = {
  sequential: (server) => `
    import { echo } from "mcp_tools/${server}";
    await echo({ message: "first" });
    const started = performance.now();
    for (let call = 0; call < ${calls}; call++) await echo({ message: \`call \${call}\` });
    performance.now() - started;`,
  parallel: (server) => `
    import { wait } from "mcp_tools/${server}";
    await wait({ milliseconds: 0 });
    const started = performance.now();
    await Promise.all(Array.from({ length: ${calls} }, () => wait({ milliseconds: ${waitMs} })));
    performance.now() - started;`,
};

const bareClients = {
  async sequential(client) {
    for (let call = 0; call < calls; call++) await client.callTool("echo", { message: `call ${call}` });
  },
  async parallel(client) {
    await Promise.all(Array.from({ length: calls }, () => client.callTool("wait", { milliseconds: waitMs })));
  },
};

export async function measure() {
  const rows = [];
  for (const scenario of scenarios) rows.push(...(await measureScenario(scenario)));
  return rows;
}

async function measureScenario({ what, server, kind, settings }) {
  const servers = (files) => ({ echo: echoServer, ...officialServers(files) });
  const installation = await install(servers, settings);
  const gateway = await installation.start();
  const client = await connect(servers(installation.files)[server]);
  const guest = guests[kind](server);
  try {
    const samples = await takeTurns(
      {
        floor: () => timedRested(() => bareClients[kind](client)),
        ours: async () => {
          let inside;
          const whole = await timedRested(async () => {
            inside = await executeCode(gateway, guest);
          });
          return { inside, whole };
        },
      },
      rounds,
    );
    const floor = { floor: median(samples.floor), floorName: "bare client" };
    return [
      timeRow({ what, ours: median(samples.ours.map(({ inside }) => inside)), ...floor, goal }),
      timeRow({ what: "  the whole run", ours: median(samples.ours.map(({ whole }) => whole)), ...floor }),
    ];
  } finally {
    await Promise.all([client.close(), gateway.close()]);
    await installation.remove();
  }
}

await printWhenAlone(import.meta.url, measure);
