// Many clients at once over HTTP, each with a session of its own and one run after the other.
import { setTimeout as delay } from "node:timers/promises";
import { executeCode, install } from "./gateway.mjs";
import { connectHttp, serveEmpty, serveHttp } from "./http-gateway.mjs";
import { median } from "./measure.mjs";
import { printWhenAlone } from "./report.mjs";
import { echoServer } from "./servers.mjs";

const clients = 50;
const runsEach = 20;
const alone = 40;
const code = process.env.CODE ?? "1 + 1";

async function times(work, count) {
  const taken = [];
  for (let done = 0; done < count; done++) {
    const started = performance.now();
    await work();
    taken.push(performance.now() - started);
  }
  return taken;
}

const percentile = (values, share) => [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1];

async function crowd(server, work) {
  const connected = await Promise.all(Array.from({ length: clients }, () => connectHttp(server)));
  const started = performance.now();
  const taken = await Promise.all(connected.map((client) => times(() => work(client), runsEach)));
  const seconds = (performance.now() - started) / 1000;
  await Promise.all(connected.map((client) => client.close()));
  return { taken, seconds };
}

export async function measure() {
  const place = await install(() => ({ echo: echoServer }));
  const server = await serveHttp(place);
  const one = await connectHttp(server);
  await one.listTools();
  await delay(3000);
  await times(() => executeCode(one, code), 10);
  const single = await times(() => executeCode(one, code), alone);
  const busy = { stop: false, search: [], ping: [] };
  const beside = (async () => {
    while (!busy.stop) {
      busy.search.push(...(await times(() => one.callTool("search_tools", { query: "echo" }), 1)));
      busy.ping.push(...(await times(() => one.ping(), 1)));
      await delay(50);
    }
  })();
  const { taken, seconds } = await crowd(server, (client) => executeCode(client, code));
  busy.stop = true;
  await beside;
  await one.close();
  await server.close();
  await place.remove();
  const empty = await serveEmpty();
  const bare = await connectHttp(empty);
  await times(() => bare.callTool("x"), 100);
  const floorSingle = await times(() => bare.callTool("x"), 200);
  const floor = await crowd(empty, (client) => client.callTool("x"));
  await bare.close();
  await empty.close();
  const all = taken.flat();
  const medians = taken.map(median);
  console.log({
    single: median(single),
    median: median(all),
    p99: percentile(all, 0.99),
    max: Math.max(...all),
    ratio: percentile(all, 0.99) / median(single),
    fairness: Math.max(...medians) / Math.min(...medians),
    seconds,
    perSecond: all.length / seconds,
    search: [median(busy.search), percentile(busy.search, 0.99)],
    ping: [median(busy.ping), percentile(busy.ping, 0.99)],
    floor: [median(floorSingle), median(floor.taken.flat()), percentile(floor.taken.flat(), 0.99), floor.seconds],
  });
  return [];
}

await printWhenAlone(import.meta.url, measure);
