// An MCP server over stdio whose tools declare no output schema. `answer` says what it is told, `accounts` has keys that are
// data, `declared` has a schema.
import { createInterface } from "node:readline";

const json = { type: "object", properties: { json: { type: "string" } }, required: ["json"] };
const tools = [
  { name: "answer", description: "Says what it is told", inputSchema: json },
  { name: "accounts", description: "All accounts", inputSchema: { type: "object", properties: {} } },
  {
    name: "declared",
    description: "Says what it declares",
    inputSchema: json,
    outputSchema: { type: "object", properties: { id: { type: "number" } }, required: ["id"] },
  },
];

const account = { owner: "Ada Lovelace", balance: 12.5 };
const accounts = {
  "ada@example.org": account,
  ghp_16C7e42F292c6912E7710c838347Ae178B4a: account,
  "550e8400-e29b-41d4-a716-446655440000": account,
  total: 3,
};

const text = (value) => ({ content: [{ type: "text", text: value }] });
const answers = {
  answer: ({ json }) => text(json),
  accounts: () => text(JSON.stringify(accounts)),
  declared: ({ json }) => ({ content: [], structuredContent: JSON.parse(json) }),
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shapes", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args }) => answers[name](args ?? {}),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !methods[method]) return;
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params ?? {}) })}\n`);
});
