// Three servers in one program: parallel calls, a failed call that is caught, and a value as the answer.
//
//   mcp-coordinator run examples/multi-tool.ts --config examples/configs/local.json
import { ToolError } from "mcp_tools";
import { echo } from "mcp_tools/everything";
import * as files from "mcp_tools/filesystem";
import * as memory from "mcp_tools/memory";

// Calls that do not need each other run at the same time.
const [sales, targets] = await Promise.all([
  files.read_text_file({ path: "sales.csv" }),
  files.read_text_file({ path: "targets.json" }),
]);

const revenue: Record<string, number> = {};
for (const line of sales.content.trim().split("\n").slice(1)) {
  const [region = "", , amount] = line.split(",");
  revenue[region] = (revenue[region] ?? 0) + Number(amount);
}
const missed = Object.entries<number>(JSON.parse(targets.content))
  .map(([region, target]) => ({ region, target, revenue: revenue[region] ?? 0 }))
  .filter((entry) => entry.revenue < entry.target);

// A failed call throws, and says whether it may have had an effect.
try {
  await files.read_text_file({ path: "forecast.csv" });
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  console.log(`no forecast: ${error.server}.${error.tool} ${error.delivery}`);
}

const names = missed.map(({ region }) => `region ${region}`);
await memory.create_entities({
  entities: missed.map(({ target, revenue }, at) => ({
    name: names[at] ?? "",
    entityType: "missed target",
    observations: [`${revenue} of ${target}`],
  })),
});
const { entities } = await memory.open_nodes({ names });
await memory.delete_entities({ entityNames: names });

console.log(
  await echo({ message: `${entities.length} of ${Object.keys(revenue).length} regions missed their target` }),
);
entities.map(({ name, observations }) => ({ name, observations }));
