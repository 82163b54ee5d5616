// A server that says more than the protocol knows, by hand: what passes through must arrive as it was sent.
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const cancelled = new Set();
const waiting = new Map();

export const tools = [
  {
    name: "odd",
    title: "An odd tool",
    description: "Says what it was sent",
    icons: [{ src: "data:image/png;base64,AA==", vendorSize: 3 }],
    annotations: { readOnlyHint: true, vendorHint: "kept" },
    inputSchema: { type: "object", properties: { any: {} }, "x-vendor": [1, 2] },
    outputSchema: { type: "object", "x-vendor": true },
    _meta: { ui: { resourceUri: "ui://odd/view" }, "vendor/size": 500000 },
    execution: { taskSupport: "optional" },
    vendorKey: { deep: [null, { a: 1 }] },
  },
  { name: "array", inputSchema: { type: "object" } },
  { name: "wait", inputSchema: { type: "object" } },
  { name: "fail", inputSchema: { type: "object" } },
  { name: "change", inputSchema: { type: "object" } },
  { name: "forbidden", inputSchema: { type: "object" } },
  { name: "execute_code", inputSchema: { type: "object" } },
];
const result = (params) => ({
  content: [
    { type: "text", text: "odd", annotations: { audience: ["user"], vendor: 1 }, _meta: { block: true } },
    { type: "hologram", data: { x: [1, 2, 3] } },
    { type: "resource_link", uri: "odd://thing", name: "thing", vendor: "kept" },
  ],
  structuredContent: { params, cancelled: [...cancelled] },
  _meta: { "vendor/trace": "abc" },
  vendorTop: { kept: true },
});

const handlers = {
  initialize: () => ({
    protocolVersion: "2025-11-25",
    serverInfo: { name: "odd", version: "1" },
    instructions: "Odd instructions.",
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
  }),
  "tools/list": ({ cursor }) =>
    cursor === "2" ? { tools: tools.slice(1) } : { tools: tools.slice(0, 1), nextCursor: "2", vendorPage: 1 },
  "tools/call": (params, id) => {
    if (params.name === "odd") {
      const { progressToken } = params._meta ?? {};
      for (const progress of [1, 2]) {
        if (progressToken !== undefined) {
          send({ method: "notifications/progress", params: { progressToken, progress, total: 2, message: "odd" } });
        }
      }
      send({ method: "notifications/message", params: { level: "warning", data: { odd: true }, logger: "odd" } });
      const { progressToken: _token, ...meta } = params._meta ?? {};
      return result({ ...params, _meta: meta });
    }
    if (params.name === "array") return { content: [], structuredContent: [1, "two", null] };
    if (params.name === "fail") throw { code: -32099, message: "Oddly wrong", data: { why: ["odd"] } };
    if (params.name === "change") {
      for (const kind of ["tools", "prompts", "resources"]) send({ method: `notifications/${kind}/list_changed` });
      send({ method: "notifications/resources/updated", params: { uri: "odd://thing", vendor: 1 } });
      return { content: [] };
    }
    if (params.name === "wait") {
      waiting.set(id, params);
      return undefined;
    }
    return { content: [{ type: "text", text: `${params.name} was called` }] };
  },
  "resources/list": () => ({ resources: [{ uri: "odd://thing", name: "thing", vendor: [1] }] }),
  "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "odd://{id}", name: "odds", vendor: 2 }] }),
  "resources/read": ({ uri }) => {
    if (!uri.startsWith("odd://")) throw { code: -32002, message: "Resource not found", data: { uri } };
    return { contents: [{ uri, text: "thing", vendor: { kept: 1 }, _meta: { m: 1 } }], vendorTop: 1 };
  },
  "resources/subscribe": () => ({}),
  "resources/unsubscribe": () => ({}),
  "prompts/list": () => ({ prompts: [{ name: "odd_prompt", arguments: [{ name: "a", vendor: 1 }], vendor: 3 }] }),
  "prompts/get": (params) => ({ messages: [{ role: "user", content: { type: "hologram", params } }], vendorTop: 1 }),
  "completion/complete": ({ ref, argument }) => ({ completion: { values: [ref.name ?? ref.uri, argument.value] } }),
  "logging/setLevel": () => ({}),
  ping: () => ({}),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (method === "notifications/cancelled") {
    cancelled.add(waiting.get(params.requestId)?.name);
    return;
  }
  if (id === undefined) return;
  try {
    const handler = handlers[method];
    if (!handler) throw { code: -32601, message: "Method not found" };
    const answer = handler(params, id);
    if (answer !== undefined) send({ id, result: answer });
  } catch (error) {
    send({ id, error });
  }
});
