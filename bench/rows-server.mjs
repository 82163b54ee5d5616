// Gives rows as one JSON text of so many megabytes; each size is made once, so that a call measures what becomes of it.
import { createInterface } from "node:readline";
import { rowsOf } from "./rows.mjs";

const tools = [
  {
    name: "rows",
    description: "Rows of a table",
    inputSchema: { type: "object", properties: { megabytes: { type: "number" } }, required: ["megabytes"] },
  },
];
const made = new Map();

function resultOf(megabytes) {
  return Buffer.from(JSON.stringify({ content: [{ type: "text", text: JSON.stringify(rowsOf(megabytes)) }] }));
}

function answer(id, result) {
  process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":`);
  process.stdout.write(result);
  process.stdout.write("}\n");
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  if (method === "tools/call") {
    const { megabytes } = params.arguments;
    if (!made.has(megabytes)) made.set(megabytes, resultOf(megabytes));
    return answer(id, made.get(megabytes));
  }
  const { protocolVersion } = params ?? {};
  const serverInfo = { name: "rows", version: "1.0.0" };
  const results = {
    initialize: { protocolVersion, capabilities: { tools: {} }, serverInfo },
    "tools/list": { tools },
  };
  answer(id, JSON.stringify(results[method] ?? {}));
});
