// 100 calls of a server that is reached over streamable HTTP, from a guest and by a client of the SDK.
import { executeCode, install } from "./gateway.mjs";
import { bareCalls, sequential } from "./guests.mjs";
import { connectHttp, serveEcho } from "./http-gateway.mjs";
import { rest, roundsOr, takeTurns, timedRested } from "./measure.mjs";
import { contestRow, printWhenAlone } from "./report.mjs";

const calls = 100;
const languages = { typescript: "TypeScript", python: "Python" };

export async function measure() {
  const server = await serveEcho();
  const installation = await install(() => ({ echo: { type: "http", url: server.url } }));
  const [gateway, sdk] = await Promise.all([installation.start(), connectHttp(server)]);
  const run = (language) => async () => {
    await rest();
    return executeCode(gateway, sequential(calls)[language], language);
  };
  try {
    const samples = await takeTurns(
      {
        sdk: () => timedRested(() => bareCalls.sequential(sdk, calls)),
        typescript: run("typescript"),
        python: run("python"),
      },
      roundsOr(9),
    );
    return Object.entries(languages).map(([language, name]) =>
      contestRow({
        what: `${calls} sequential calls over HTTP, ${name}`,
        ours: samples[language],
        floor: samples.sdk,
        floorName: "SDK client",
      }),
    );
  } finally {
    await Promise.all([gateway.close(), sdk.close()]);
    await server.close();
    await installation.remove();
  }
}

await printWhenAlone(import.meta.url, measure);
