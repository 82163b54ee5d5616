// A small shop as an MCP server, for docs/patterns.md: pages of orders, customers one at a time, a report that takes a
// while, and a service that has no time at the first request.
import { createInterface } from "node:readline";

const pageSize = 40;
const orders = Array.from({ length: 100 }, (_, index) => ({
  id: index + 1,
  customer: `c${(index * 7) % 12}`,
  currency: index % 3 === 0 ? "USD" : "EUR",
  amount: ((index * 37) % 90) + 10,
}));
const reports = new Map();
const asked = new Set();

const text = { type: "string" };
const whole = { type: "integer" };
const object = (properties, required = Object.keys(properties)) => ({ type: "object", properties, required });
const order = object({ id: whole, customer: text, currency: text, amount: { type: "number" } });

const tools = {
  list_orders: {
    description: "Orders, 40 a page; next is the cursor of the next page",
    inputSchema: object({ cursor: text }, []),
    outputSchema: object({ orders: { type: "array", items: order }, next: text }, ["orders"]),
    run({ cursor = "0" }) {
      const from = Number(cursor);
      const next = from + pageSize;
      return { orders: orders.slice(from, next), ...(next < orders.length && { next: String(next) }) };
    },
  },
  get_customer: {
    description: "One customer",
    inputSchema: object({ id: text }),
    outputSchema: object({ id: text, name: text, country: text }),
    async run({ id }) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      const number = Number(id.slice(1));
      return { id, name: `Customer ${number}`, country: number % 4 === 0 ? "FR" : "DE" };
    },
  },
  start_report: {
    description: "Starts a report; report_status tells when it is ready",
    inputSchema: object({ month: text }),
    outputSchema: object({ report: text }),
    run({ month }) {
      const report = `report-${month}`;
      reports.set(report, 3);
      return { report };
    },
  },
  report_status: {
    description: "Whether a report is ready, and its total then",
    inputSchema: object({ report: text }),
    outputSchema: object({ state: text, total: { type: "number" } }, ["state"]),
    run({ report }) {
      const left = (reports.get(report) ?? 1) - 1;
      reports.set(report, left);
      return left > 0 ? { state: "working" } : { state: "ready", total: 4711 };
    },
  },
  exchange_rate: {
    description: "What one unit of a currency is in euros; busy at times",
    inputSchema: object({ currency: text }),
    outputSchema: object({ rate: { type: "number" } }),
    run({ currency }) {
      if (!asked.has(currency)) {
        asked.add(currency);
        throw new Error("busy, try again");
      }
      return { rate: currency === "USD" ? 0.9 : 1 };
    },
  },
};

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: "shop", title: "A small shop", version: "1.0.0" },
  }),
  "tools/list": () => ({
    tools: Object.entries(tools).map(([name, { run: _run, ...definition }]) => ({ name, ...definition })),
  }),
  async "tools/call"({ name, arguments: args = {} }) {
    try {
      const structuredContent = await tools[name].run(args);
      return { content: [{ type: "text", text: JSON.stringify(structuredContent) }], structuredContent };
    } catch (error) {
      return { content: [{ type: "text", text: error.message }], isError: true };
    }
  },
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || !methods[method]) return;
  const result = await methods[method](params ?? {});
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
