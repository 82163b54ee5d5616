// What the model's context pays before anything is asked: our definitions, against those of all servers.
import { discover, install } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { count, printWhenAlone } from "./report.mjs";
import { manyServers } from "./servers.mjs";
import { tokensOf } from "./tokens.mjs";

const goal = { fixed: 500, inventory: 300 };

export async function measure() {
  const installation = await install(manyServers);
  try {
    const servers = Object.values(manyServers(installation.files));
    const definitions = await cachedDefinitions(installation);
    const fixed = tokensOf(definitions.map(withoutInventory));
    const inventory = tokensOf(definitions) - fixed;
    const all = await allDefinitions(servers);
    return [
      {
        what: `definitions in context, ${servers.length} servers`,
        ours: `${fixed} + ${inventory} tokens`,
        floor: `${count(all.tokens)} tokens, all ${all.tools} tools`,
        ratio: `${(((fixed + inventory) / all.tokens) * 100).toFixed(2)}%`,
        goal: `<= ${goal.fixed} + ${goal.inventory}`,
        met: fixed <= goal.fixed && inventory <= goal.inventory,
      },
    ];
  } finally {
    await installation.remove();
  }
}

/** The definitions of a gateway that knows its servers' tools from an earlier start. */
async function cachedDefinitions(installation) {
  const first = await installation.start();
  await discover(first);
  await first.close();
  const second = await installation.start();
  const definitions = await second.listTools();
  await second.close();
  return definitions;
}

function withoutInventory(tool) {
  const [fixed] = tool.description.split(/\n(?=Servers\b)/);
  return { ...tool, description: fixed };
}

async function allDefinitions(servers) {
  const sum = { tools: 0, tokens: 0 };
  for (const server of servers) {
    const client = await connect(server);
    const tools = await client.listTools();
    await client.close();
    sum.tools += tools.length;
    sum.tokens += tokensOf(tools);
  }
  return sum;
}

await printWhenAlone(import.meta.url, measure);
