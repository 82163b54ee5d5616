// One job, done both ways on the same servers: through the coordinator, and by calling every tool directly as a client
// without code would. Tokens are what passes through the model. Each text counts once, which is kind to the direct way:
// a model reads its whole context again at every turn.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { discover, install } from "../../bench/gateway.mjs";
import { connect } from "../../bench/mcp-client.mjs";
import { officialServers } from "../../bench/servers.mjs";
import { tokensOf } from "../../bench/tokens.mjs";
import { makeOrders } from "./orders.mjs";

export const rows = 10_000;
const searches = [
  { query: "read a text file", limit: 2 },
  { query: "create entities in memory and open them again", limit: 3 },
  { query: "echo", limit: 1 },
];

/** Does the job both ways; gives the answer, the tokens of each way by kind, and the times in milliseconds. */
export async function runJob(progress = () => {}) {
  const started = performance.now();
  const installation = await install(officialServers);
  try {
    progress(`making a file of ${rows} rows`);
    await writeFile(join(installation.files, "orders.csv"), makeOrders(rows));
    const ours = await throughCoordinator(installation, progress);
    progress("making the same calls directly, to compare");
    const direct = await directly(installation.files, ours.result);
    return { ...ours, direct, totalMs: performance.now() - started };
  } finally {
    await installation.remove();
  }
}

async function throughCoordinator(installation, progress) {
  progress("starting mcp-coordinator with a client");
  const gateway = await installation.start();
  try {
    progress("asking the servers for their tools: only at the very first start");
    await discover(gateway);
    const definitions = await gateway.listTools();
    progress("search_tools");
    const found = [];
    for (const search of searches) found.push(textOf(await gateway.callTool("search_tools", search)));
    const code = await readFile(new URL("guest.ts", import.meta.url), "utf8");
    progress("execute_code");
    const started = performance.now();
    const answer = await gateway.callTool("execute_code", { code });
    const runMs = performance.now() - started;
    const { status, result, calls } = answer.structuredContent;
    if (status !== "ok") throw new Error(`The guest did not end well: ${textOf(answer)}`);
    return {
      found,
      code,
      answer: textOf(answer),
      result,
      calls: calls.total,
      runMs,
      ours: {
        definitions: tokensOf(definitions),
        written: sum(searches.map(tokensOf)) + tokensOf({ code }),
        read: sum(found.map(tokensOf)) + tokensOf(textOf(answer)),
      },
    };
  } finally {
    await gateway.close();
  }
}

/** The same calls with the same arguments; what the guest computed, the model would have to work out by itself. */
async function directly(files, entities) {
  const servers = officialServers(files);
  const clients = {};
  const tokens = { definitions: 0, written: 0, read: 0 };
  for (const [name, server] of Object.entries(servers)) {
    clients[name] = await connect(server);
    tokens.definitions += tokensOf(await clients[name].listTools());
  }
  const call = async (server, tool, args) => {
    tokens.written += tokensOf({ name: tool, arguments: args });
    tokens.read += tokensOf(textOf(await clients[server].callTool(tool, args)));
  };
  const names = entities.map(({ name }) => name);
  await call("filesystem", "read_text_file", { path: "orders.csv" });
  await call("memory", "create_entities", { entities });
  await call("memory", "open_nodes", { names });
  await call("everything", "echo", { message: `${rows} orders read, ${names.length} findings kept in memory` });
  await Promise.all(Object.values(clients).map((client) => client.close()));
  return tokens;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The texts of a result, as a model reads them. */
function textOf({ content }) {
  return content.map(({ text }) => text ?? "").join("\n");
}
