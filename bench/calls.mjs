// Tool calls from a guest, against the same calls by a client of the SDK, by a client that only writes and reads lines, and
// by the same guest over a bare relay (bench/relay-host.mjs): what a process in between costs at least.
import { fileURLToPath } from "node:url";
import { executeCode, install } from "./gateway.mjs";
import { bareCalls, parallel, sequential } from "./guests.mjs";
import { connect } from "./mcp-client.mjs";
import { median, rest, roundsOr, takeTurns, timed } from "./measure.mjs";
import { connectRaw } from "./raw-client.mjs";
import { contestRow, milliseconds, printWhenAlone, showRatio } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const waitMs = 50;
const runsInLoop = 5;
const languages = { typescript: "TypeScript", python: "Python" };
const relayGoal = { typescript: 1.25, python: 1.3 };
export const relayHost = fileURLToPath(new URL("relay-host.mjs", import.meta.url));

/** How a turn of a contender goes: `take` gives the milliseconds of its calls, `runEmpty` runs a guest that does nothing. */
const paces = {
  async rested({ take }) {
    await rest();
    return take();
  },
  async looped({ take }) {
    await rest();
    let sum = 0;
    for (let run = 0; run < runsInLoop; run++) sum += await take();
    return sum / runsInLoop;
  },
  async afterRun({ take, runEmpty }) {
    await rest();
    await runEmpty();
    return take();
  },
};

const hundred = { guests: sequential(100), bare: (client) => bareCalls.sequential(client, 100) };
const scenarios = [
  {
    ...hundred,
    what: "100 sequential calls, runs 250 ms apart",
    pace: paces.rested,
    rounds: 11,
    goals: { sdk: { typescript: 1.2, python: 1.2 }, relay: relayGoal },
  },
  {
    ...hundred,
    what: "100 sequential calls, runs in a tight loop",
    pace: paces.looped,
    rounds: 10,
    goals: { sdk: { typescript: 1.4, python: 1.5 }, relay: relayGoal },
  },
  {
    ...hundred,
    what: "100 sequential calls right after a run",
    pace: paces.afterRun,
    rounds: 7,
    limit: { typescript: 30, python: 30 },
  },
  {
    what: "1,000 sequential calls",
    guests: sequential(1000),
    bare: (client) => bareCalls.sequential(client, 1000),
    pace: paces.rested,
    rounds: 5,
  },
  {
    what: `100 parallel calls of ${waitMs} ms`,
    guests: parallel(100, waitMs),
    bare: (client) => bareCalls.parallel(client, 100, waitMs),
    pace: paces.rested,
    rounds: 7,
    goals: { sdk: { typescript: 1.2, python: 1.2 } },
  },
];

export async function measure() {
  const installation = await install(() => ({ echo: echoServer }), { sandbox: { limits: { toolCalls: 10_000 } } });
  const [gateway, sdk, raw, relay] = await Promise.all([
    installation.start(),
    connect(echoServer),
    connectRaw(echoServer),
    connectRaw({ args: [relayHost], stderr: "inherit" }),
  ]);
  try {
    const rows = [];
    for (const scenario of scenarios) rows.push(...(await contest(scenario, { gateway, sdk, raw, relay })));
    return rows;
  } finally {
    await Promise.all([gateway, sdk, raw, relay].map((each) => each.close()));
    await installation.remove();
  }
}

async function contest({ guests, bare, pace, rounds, ...scenario }, { gateway, sdk, raw, relay }) {
  const whole = { typescript: [], python: [] };
  const bareTurn = (client) => () => pace({ take: () => timed(() => bare(client)), runEmpty: () => {} });
  const turnOf = (run) => () => pace({ take: () => run(), runEmpty: () => run("") });
  const contenders = { sdk: bareTurn(sdk), raw: bareTurn(raw) };
  for (const language of Object.keys(languages)) {
    contenders[language] = turnOf(async (code = guests[language]) => {
      const started = performance.now();
      const inside = await executeCode(gateway, code, language);
      if (code !== "") whole[language].push(performance.now() - started);
      return inside;
    });
    contenders[`relay ${language}`] = turnOf((code = guests[language]) => relay.callTool("run", { code, language }));
  }
  const samples = await takeTurns(contenders, roundsOr(rounds));
  return Object.keys(languages).flatMap((language) => rowsOf(scenario, language, samples, whole[language]));
}

function rowsOf({ what, goals, limit }, language, samples, whole) {
  const ours = samples[language];
  const raw = `${showRatio(ours, samples.raw)} of a raw client's ${milliseconds(median(samples.raw))}`;
  const row = { what: `${what}, ${languages[language]}`, ours };
  return [
    contestRow({
      ...row,
      floor: samples.sdk,
      floorName: "SDK client",
      goal: goals?.sdk[language],
      limit: limit?.[language],
      notes: [`${raw}; from request to answer ${milliseconds(median(whole))}`],
    }),
    contestRow({
      ...row,
      floor: samples[`relay ${language}`],
      floorName: "bare relay",
      goal: goals?.relay?.[language],
    }),
  ];
}

await printWhenAlone(import.meta.url, measure);
