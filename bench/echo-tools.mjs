// The tools of the echo servers, and an MCP server by hand, so that little but the caller is measured.
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

/** The response to a message's text, as text; undefined for a notification. */
export async function respond(text) {
  const { id, method, params } = JSON.parse(text);
  if (id === undefined) return undefined;
  const known = Object.hasOwn(methods, method);
  const answer = known ? { result: await methods[method](params ?? {}) } : { error: { code: -32601, message: method } };
  return JSON.stringify({ jsonrpc: "2.0", id, ...answer });
}
