// An empty guest on a coordinator that has run before, from MCP request to answer, against a bare MCP call.
import { fileURLToPath } from "node:url";
import { executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { median, takeTurns, timed, timedRested } from "./measure.mjs";
import { milliseconds, printWhenAlone } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const goals = { unchecked: 5, checked: 8 };
const rounds = 30;

const uncheckedServer = fileURLToPath(new URL("unchecked-server.mjs", import.meta.url));

export async function measure() {
  const installation = await install(() => ({ echo: echoServer }));
  const { config, env } = installation;
  const bare = await connect(echoServer);
  const unchecked = await connect({ args: [uncheckedServer, config], env, stderr: "inherit" });
  const checked = await installation.start();
  await checked.listTools();
  try {
    const samples = await takeTurns(
      {
        floor: () => timed(() => bare.callTool("echo", { message: "" })),
        unchecked: () => timedRested(() => unchecked.callTool("run", { code: "" })),
        checked: () => timedRested(() => executeCode(checked, "")),
      },
      rounds,
    );
    const floor = median(samples.floor);
    return Object.entries(goals).map(([name, goal]) => {
      const ours = median(samples[name]);
      return {
        what: `warm empty run, ${name}`,
        ours: milliseconds(ours),
        floor: `${milliseconds(floor)} bare MCP call`,
        ratio: `${(ours / floor).toFixed(1)}x`,
        goal: `<= ${goal} ms`,
        met: ours <= goal,
      };
    });
  } finally {
    await Promise.all([bare.close(), unchecked.close(), checked.close()]);
    await installation.remove();
  }
}

await printWhenAlone(import.meta.url, measure);
