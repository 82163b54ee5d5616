// An MCP server over stdio with data to work on. Tools: orders (10,000 rows of about 500 bytes), customers, slow, picture.
import { createInterface } from "node:readline";

const tools = [
  {
    name: "orders",
    description: "All orders",
    inputSchema: { type: "object", properties: { count: { type: "integer" } } },
  },
  { name: "customers", description: "All customers", inputSchema: { type: "object", properties: {} } },
  {
    name: "slow",
    description: "Waits, then answers",
    inputSchema: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
  },
  { name: "picture", description: "A picture", inputSchema: { type: "object", properties: {} } },
  { name: "delete_everything", description: "Deletes it all", inputSchema: { type: "object", properties: {} } },
];

const note = "n".repeat(430);
const orders = (count) =>
  Array.from({ length: count }, (_, id) => ({ id, customer: id % 100, amount: (id * 7919) % 1000, note }));
const customers = Array.from({ length: 100 }, (_, id) => ({
  id,
  name: `Customer ${id}`,
  country: id % 3 ? "DE" : "FR",
}));

const answers = {
  orders: ({ count = 10_000 }) => ({ content: [{ type: "text", text: JSON.stringify(orders(count)) }] }),
  customers: () => ({ content: [], structuredContent: { customers } }),
  slow: async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return { content: [{ type: "text", text: "done" }] };
  },
  picture: () => ({ content: [{ type: "image", data: "aGk=", mimeType: "image/png" }] }),
  delete_everything: () => ({ content: [{ type: "text", text: "gone" }] }),
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "data", title: "Orders and customers", version: "1.0.0" },
  }),
  "tools/list": () => ({ tools }),
  "tools/call": ({ name, arguments: args }) => answers[name](args ?? {}),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !methods[method]) return;
  const result = await methods[method](params ?? {});
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
