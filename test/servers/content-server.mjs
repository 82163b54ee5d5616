// An MCP server over stdio that answers with whatever it is asked for: `give` sends the result that it is given as JSON text,
// byte for byte. Also tools whose results have output schemas of other types than objects, resources and prompts in pages,
// and a count of the calls of `act`.
import { createInterface } from "node:readline";

const noArguments = { type: "object", properties: {} };
const typed = (name, outputSchema, structuredContent) => ({ name, outputSchema, structuredContent });
const typedTools = [
  typed("numbers", { type: "array", items: { type: "integer" } }, [1, 2, 3]),
  typed("title", { type: "string" }, "A title"),
  typed("count", { type: "number" }, 0),
  typed("nothing", { type: "null" }, null),
  typed("flag", { type: "boolean" }, false),
  typed("record", { type: "object", properties: { id: { type: "integer" } }, required: ["id"] }, { id: 7 }),
];
const tools = [
  {
    name: "give",
    description: "Answers with a result",
    inputSchema: { type: "object", properties: { json: { type: "string" } }, required: ["json"] },
  },
  { name: "act", description: "Does something, and shows it in a picture", inputSchema: noArguments },
  ...typedTools.map(({ name, outputSchema }) => ({ name, inputSchema: noArguments, outputSchema })),
];

const resources = Array.from({ length: 5 }, (_, index) => ({ uri: `note://${index}`, name: `note ${index}` }));
resources.push({ uri: "picture://1", name: "a picture", mimeType: "image/png", _meta: { "example.org/by": "Ada" } });
const prompts = [
  { name: "review", description: "Review code", arguments: [{ name: "code", required: true }] },
  { name: "greet", description: "Say hello" },
];

let acts = 0;

/** Two at a time. */
function page(key, list, cursor = "0") {
  const start = Number(cursor);
  const next = start + 2 < list.length ? { nextCursor: String(start + 2) } : {};
  return { [key]: list.slice(start, start + 2), ...next };
}

function refuse(code, message) {
  throw Object.assign(new Error(message), { code });
}

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    serverInfo: { name: "content", version: "1.0.0" },
  }),
  ping: () => ({}),
  "tools/list": () => ({ tools }),
  "tools/call"({ name, arguments: args }) {
    if (name === "act") {
      const picture = { type: "image", data: "aGk=", mimeType: "image/png" };
      return { content: [picture], structuredContent: { acts: ++acts } };
    }
    const known = typedTools.find((tool) => tool.name === name);
    return known ? { content: [], structuredContent: known.structuredContent } : args.json;
  },
  "resources/list": ({ cursor }) => page("resources", resources, cursor),
  "resources/templates/list": () => ({ resourceTemplates: [{ uriTemplate: "note://{id}", name: "a note" }] }),
  "resources/read"({ uri }) {
    if (uri.startsWith("note://")) return { contents: [{ uri, mimeType: "text/plain", text: `This is ${uri}` }] };
    if (uri === "picture://1") return { contents: [{ uri, mimeType: "image/png", blob: "aGk=" }] };
    return refuse(-32002, `There is no ${uri}`);
  },
  "prompts/list": ({ cursor }) => page("prompts", prompts, cursor),
  "prompts/get"({ name, arguments: args = {} }) {
    if (!prompts.some((prompt) => prompt.name === name)) refuse(-32602, `There is no prompt ${name}`);
    const text = name === "review" ? `Please review: ${args.code}` : "Hello";
    return { description: name, messages: [{ role: "user", content: { type: "text", text } }] };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  try {
    if (!methods[method]) refuse(-32601, "Method not found");
    const result = methods[method](params ?? {});
    process.stdout.write(`${head},"result":${typeof result === "string" ? result : JSON.stringify(result)}}\n`);
  } catch ({ code, message }) {
    process.stdout.write(`${head},"error":${JSON.stringify({ code, message })}}\n`);
  }
});
