// An MCP server over stdio whose tools are those that a file lists when it is asked. Each answers "seen".
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "changing", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools: JSON.parse(readFileSync(process.argv[2], "utf8")) }),
  "tools/call": () => ({ content: [{ type: "text", text: "seen" }] }),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !methods[method]) return;
  const result = methods[method](params ?? {});
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
