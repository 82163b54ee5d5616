// An empty guest on a coordinator that has run before, from MCP request to answer, in both languages, type-checked and not,
// against a bare MCP call.
import { fileURLToPath } from "node:url";
import { executeCode, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { roundsOr, takeTurns, timed, timedRested } from "./measure.mjs";
import { contestRow, printWhenAlone } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const limits = { unchecked: 5, checked: 7 };
const languages = { typescript: "TypeScript", python: "Python" };

const uncheckedServer = fileURLToPath(new URL("unchecked-server.mjs", import.meta.url));

export async function measure() {
  const installation = await install(() => ({ echo: echoServer }));
  const { config, env } = installation;
  const [bare, unchecked, checked] = await Promise.all([
    connect(echoServer),
    connect({ args: [uncheckedServer, config], env, stderr: "inherit" }),
    installation.start(),
  ]);
  await checked.listTools();
  const contenders = { floor: () => timed(() => bare.callTool("echo", { message: "" })) };
  for (const language of Object.keys(languages)) {
    contenders[`${language} unchecked`] = () => timedRested(() => runUnchecked(unchecked, language));
    contenders[`${language} checked`] = () => timedRested(() => executeCode(checked, "", language));
  }
  try {
    const samples = await takeTurns(contenders, roundsOr(21));
    return Object.entries(languages).flatMap(([language, name]) =>
      Object.entries(limits).map(([kind, limit]) =>
        contestRow({
          what: `warm empty run, ${name}, ${kind}`,
          ours: samples[`${language} ${kind}`],
          floor: samples.floor,
          floorName: "bare SDK call",
          limit,
        }),
      ),
    );
  } finally {
    await Promise.all([bare.close(), unchecked.close(), checked.close()]);
    await installation.remove();
  }
}

async function runUnchecked(server, language) {
  const { structuredContent } = await server.callTool("run", { code: "", language });
  if (structuredContent.status !== "ok") throw new Error(structuredContent.error.message);
}

await printWhenAlone(import.meta.url, measure);
