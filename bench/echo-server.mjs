// The smallest MCP server that can be called: JSON-RPC by hand, so that little but the caller is measured.
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

const tools = [
  {
    name: "echo",
    description: "Answers with the message",
    inputSchema: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
  },
  {
    name: "wait",
    description: "Answers after some time",
    inputSchema: { type: "object", properties: { milliseconds: { type: "number" } }, required: ["milliseconds"] },
  },
];

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "echo", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": async ({ name, arguments: args }) => {
    if (name === "wait") await delay(args.milliseconds);
    return { content: [{ type: "text", text: name === "wait" ? "done" : args.message }] };
  },
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const known = Object.hasOwn(methods, method);
  const answer = known ? { result: await methods[method](params ?? {}) } : { error: { code: -32601, message: method } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
});
