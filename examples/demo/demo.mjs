// npm run demo: three real MCP servers, one guest, no key, no model, no network.
import { runJob } from "./job.mjs";

const job = await runJob((step) => console.error(`… ${step}`));
const { ours, direct } = job;
const total = ({ definitions, written, read }) => definitions + written + read;
const fewer = (1 - total(ours) / total(direct)) * 100;

console.log(`
The user asked: which products come back most, and where? Keep the three worst in memory.

The AI searched for what it needed and got:
${indent(job.found.join("\n\n"))}

It sent this code:
${indent(job.code)}

It got this answer, after ${job.calls} tool calls to three servers:
${indent(job.answer)}

Tokens that pass through the model (o200k)
${table([
  ["", "calling tools directly", "mcp-coordinator"],
  ["tool definitions", direct.definitions, ours.definitions],
  ["written: calls, searches, code", direct.written, ours.written],
  ["read: results, answers", direct.read, ours.read],
  ["total", total(direct), total(ours)],
])}
${fewer.toFixed(2)}% fewer.

The run took ${seconds(job.runMs)}, the whole demo ${seconds(job.totalMs)}.`);

function indent(text) {
  return text.trim().replaceAll(/^/gm, "  ");
}

function table(lines) {
  return lines
    .map(([name, ...cells]) => {
      return `  ${name.padEnd(32)}${cells.map((cell) => cell.toLocaleString("en-US").padStart(24)).join("")}`;
    })
    .join("\n");
}

function seconds(milliseconds) {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
