// 50 clients over HTTP, each with a session of its own and 20 runs. First as AIs come: each run some time after the last
// answer. Then as fast as they can, against a server of the official SDK that does nothing: what waiting for two cores costs anybody.
// `--pause 3` sets the seconds between the runs of one client, `--rounds 20` their number, `--modern` takes clients of 2026-07-28.
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { executeCode, install } from "./gateway.mjs";
import { connectHttp, serveEmpty, serveHttp } from "./http-gateway.mjs";
import { median, roundsOr } from "./measure.mjs";
import { milliseconds, printWhenAlone } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const clients = 50;
const code = 'import { echo } from "mcp_tools/echo"; await echo({ message: "hi" })';
const goals = { p99: 10, fairness: 2 };

const { values } = parseArgs({
  options: {
    pause: { type: "string", default: "3" },
    modern: { type: "boolean", default: false },
  },
  strict: false,
});
const runsEach = roundsOr(20);
const pauseMs = Number(values.pause) * 1000;
const connect = (server) => connectHttp(server, { modern: values.modern });

/** How long each of a client's pieces of work takes, one after the other; before each it waits, so that no two clients march in step. */
async function times(work, { count = runsEach, pause = 0 } = {}) {
  const taken = [];
  for (let done = 0; done < count; done++) {
    if (pause > 0) await delay(pause * (0.5 + Math.random()));
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  return taken;
}

/** The same by many clients at once: the times of each. */
async function crowd(server, work, pause) {
  const connected = await Promise.all(Array.from({ length: clients }, () => connect(server)));
  const started = performance.now();
  const each = await Promise.all(connected.map((client) => times(() => work(client), { pause })));
  const perSecond = (clients * runsEach) / ((performance.now() - started) / 1000);
  await Promise.all(connected.map((client) => client.close()));
  const medians = each.map(median);
  const all = each.flat();
  return {
    median: median(all),
    p99: percentile(all, 0.99),
    perSecond,
    fairness: Math.max(...medians) / Math.min(...medians),
  };
}

/** What a search and a ping of another client take meanwhile. */
async function beside(client, work) {
  let isOver = false;
  const answers = (async () => {
    const taken = [];
    while (!isOver) {
      taken.push(...(await times(() => client.callTool("search_tools", { query: "echo" }), { count: 1 })));
      await delay(100);
    }
    return percentile(taken, 0.99);
  })();
  try {
    const done = await work();
    isOver = true;
    return { ...done, search: await answers };
  } finally {
    isOver = true;
  }
}

function percentile(numbers, share) {
  return numbers.sort((left, right) => left - right)[Math.ceil(numbers.length * share) - 1];
}

/** How long the slowest wait, and whether all wait alike. */
function rowsOf(what, alone, { median: middle, p99, perSecond, fairness, search }, goal) {
  const ratio = p99 / alone;
  return [
    {
      what,
      ours: `p99 ${milliseconds(p99)}`,
      floor: `${milliseconds(alone)} one client's median`,
      ratio: `${ratio.toFixed(1)}x`,
      rounds: runsEach,
      published: true,
      ...(goal && { goal: `<= ${goal.p99}x`, met: ratio <= goal.p99 }),
      notes: [
        `median ${milliseconds(middle)}; ${perSecond.toFixed(1)} a second`,
        ...(search === undefined ? [] : [`search_tools of another client meanwhile: p99 ${milliseconds(search)}`]),
      ],
    },
    {
      what: `${what}: how fair`,
      ours: `${fairness.toFixed(2)}x`,
      floor: "the slowest client's median / the fastest's",
      ratio: "–",
      rounds: runsEach,
      ...(goal && { goal: `<= ${goal.fairness}x`, met: fairness <= goal.fairness }),
    },
  ];
}

async function measureOurs() {
  const place = await install(() => ({ echo: echoServer }));
  const server = await serveHttp(place);
  const run = (client) => executeCode(client, code);
  try {
    const one = await connect(server);
    await one.listTools();
    await times(() => run(one), { count: 10 });
    const paced = median(await times(() => run(one), { pause: 200 }));
    const fast = median(await times(() => run(one)));
    const asTheyCome = await beside(one, () => crowd(server, run, pauseMs));
    const atOnce = await beside(one, () => crowd(server, run, 0));
    await one.close();
    const each = `${clients} clients, ${runsEach} runs each`;
    return [
      ...rowsOf(`${each}, one about every ${values.pause} s`, paced, asTheyCome, goals),
      ...rowsOf(`${each}, without a pause`, fast, atOnce),
    ];
  } finally {
    await server.close();
    await place.remove();
  }
}

async function measureFloor() {
  const server = await serveEmpty();
  try {
    const call = (client) => client.callTool("nothing");
    const one = await connectHttp(server);
    await times(() => call(one), { count: 100 });
    const alone = median(await times(() => call(one), { count: 100 }));
    await one.close();
    const rows = rowsOf("the same without a pause, at an empty SDK server", alone, await crowd(server, call, 0));
    return rows.map((row) => ({ ...row, published: false }));
  } finally {
    await server.close();
  }
}

export async function measure() {
  return [...(await measureOurs()), ...(await measureFloor())];
}

await printWhenAlone(import.meta.url, measure);
