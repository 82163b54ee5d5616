// How long it takes to hold the list of a server to its pins: node bench/pins.mjs [--tools 1000] [--rounds 30]
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const { values } = parseArgs({
  options: { tools: { type: "string", default: "1000" }, rounds: { type: "string", default: "30" } },
});
const [many, rounds] = [Number(values.tools), Number(values.rounds)];
const folder = mkdtempSync(join(tmpdir(), "bench-pins-"));
const source = `
  export { openStore } from "./src/store/sqlite/store.ts";
  export { reviewListed } from "./src/servers/pins/definition-pins.ts";
  export { toolDefinition } from "./src/policy/pins/definition.ts";`;
const outfile = new URL("../node_modules/.cache/bench-pins.mjs", import.meta.url).pathname;
await build({
  stdin: { contents: source, resolveDir: new URL("..", import.meta.url).pathname, loader: "ts" },
  ...{ bundle: true, platform: "node", format: "esm", outfile, packages: "external", logLevel: "error" },
});
const { openStore, reviewListed, toolDefinition } = await import(outfile);

const tool = (index, description) => ({
  name: `tool_${index}`,
  identifier: `tool_${index}`,
  description: `${description} ${index}, and says in some words what it does and when it is of use.`,
  inputSchema: {
    type: "object",
    properties: Object.fromEntries(
      ["query", "limit", "cursor", "filter"].map((name) => [
        name,
        { type: "string", description: `The ${name} of it` },
      ]),
    ),
  },
  annotations: { readOnlyHint: true },
});
const listOf = (description) => Array.from({ length: many }, (_, index) => toolDefinition(tool(index, description)));
const [same, other] = [listOf("Does"), listOf("Changes")];
const store = openStore(folder, {}, { principal: "local" });
const review = (definitions) =>
  reviewListed(store.pins, { server: "s", key: "k", kind: "tool", definitions }, { mode: "review", ignore: {} });

async function time(what, work) {
  const taken = [];
  for (let round = 0; round < rounds; round++) {
    // What it costs, and not how long it waits for other programs on a busy machine.
    const before = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(before);
    taken.push((user + system) / 1000);
  }
  taken.sort((left, right) => left - right);
  const [median, worst] = [taken[Math.floor(rounds / 2)], taken.at(-1)];
  console.log(`${what}: ${median.toFixed(1)} ms of CPU (median of ${rounds}; the longest ${worst.toFixed(1)} ms)`);
}

try {
  await review(same);
  await time(`${many} tools that are as they were accepted`, () => review(same));
  await time(`${many} tools that all change`, (round) => review(round % 2 === 0 ? other : same));
} finally {
  store.close();
  rmSync(folder, { recursive: true, force: true });
}
