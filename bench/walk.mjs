// What a model reads and writes for twelve ordinary jobs over 22 servers, in both languages: `node bench/walk.mjs [--steps] [--texts]
// [--cli OLD/dist/cli.js]`. The calls are scripted (bench/walk/jobs.mjs), so that a change that costs tokens, or breaks a job, is seen.
// `--steps` prints each, `--texts` what was read; with another program's `--cli`, a job that does not come out right is only named.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { discover } from "./gateway.mjs";
import { connect } from "./mcp-client.mjs";
import { count, printWhenAlone } from "./report.mjs";
import { tokensOf } from "./tokens.mjs";
import { jobsFor } from "./walk/jobs.mjs";
import { preparePlace } from "./walk/place.mjs";

const { values: options } = parseArgs({
  options: { steps: { type: "boolean" }, texts: { type: "boolean" }, cli: { type: "string" } },
  strict: false,
});
const cli = fileURLToPath(new URL("../dist/cli.js", import.meta.url));
const languages = { typescript: "TypeScript", python: "Python" };
/** What the answers of search_tools cost for the same jobs before they were made for models (commit 4c64f71). */
const before = { typescript: 8_389, python: 10_420 };

export async function measure() {
  const place = await preparePlace();
  const env = { MCP_COORDINATOR_HOME: join(place.folder, "data") };
  const gateway = await connect({
    args: [options.cli ?? cli, "serve", "--config", place.config],
    env,
    stderr: "inherit",
  });
  try {
    await discover(gateway);
    const rows = [];
    for (const language of Object.keys(languages))
      rows.push(rowOf(language, await walk(gateway, place.files, language)));
    return rows;
  } finally {
    await gateway.close();
    place.remove();
  }
}

/** Does all jobs; throws when one does not come out right. */
async function walk(gateway, files, language) {
  const steps = [];
  for (const { name, steps: planned, expect } of jobsFor(files)) {
    let text = "";
    for (const { tool, args, code } of planned) {
      const given = { ...args, ...(code && { code: code[language] }), language };
      const { content } = await gateway.callTool(tool, given);
      text = content.map((item) => item.text ?? "").join("\n");
      const step = { job: name, tool, written: tokensOf(given), read: tokensOf(text) };
      steps.push(step);
      if (options.steps)
        console.log(`${languages[language]}  ${tool}  ${step.written} written, ${step.read} read  ${name}`);
      if (options.texts) console.log(text);
    }
    const missing = expect.filter((part) => !text.includes(part));
    if (missing.length === 0) continue;
    const what = `${languages[language]}, ${name}: no ${missing.join(", ")} in:\n${text}`;
    if (options.cli === undefined) throw new Error(what);
    console.log(what);
  }
  return steps;
}

function rowOf(language, steps) {
  const sum = (key, tool) =>
    steps.filter((step) => tool === undefined || step.tool === tool).reduce((total, step) => total + step[key], 0);
  const read = sum("read", "search_tools");
  return {
    what: `tokens of search answers for 12 jobs over 22 servers, ${languages[language]}`,
    ours: count(read),
    floor: `${count(before[language])} before`,
    ratio: `${(read / before[language]).toFixed(2)}x`,
    goal: "<= 0.6x",
    met: read <= before[language] * 0.6,
    notes: [`${steps.length} calls; ${count(sum("read"))} read in all, ${count(sum("written"))} written`],
  };
}

await printWhenAlone(import.meta.url, measure);
