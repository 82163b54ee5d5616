// An MCP server over HTTP: `node http-server.mjs <kind> [fault…]`. Prints its address on stdout.
//
//   streamable   the handshake era; faults: json (answers as JSON, not as a stream), stream (offers a stream for notices)
//   sse          HTTP with SSE, the transport before 2025
//   modern       2026-07-28 only, from the official SDK; tools: hello, near (answers its header), changed, bare
//                (answers without resultType), cut (ends the streams of those who listen)
//   status=N     answers every request with that status
//   silent       accepts connections and never answers
//   port=N       among the faults: where to listen
//
// Tools of the first two: echo, headers, requests, big, lists, rows, break (cuts the connection), changed, forget (loses all sessions);
// any other is never answered, or with `json` answered with nonsense.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Readable } from "node:stream";

const [kind, ...faults] = process.argv.slice(2);
const sessions = new Set();
const streams = new Set();
let requests = 0;
let lastHeaders = {};

const text = (value) => ({ content: [{ type: "text", text: value }] });
const event = (message) => `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;

/** The answer to a request; undefined when there is none yet. */
function answer({ id, method, params = {} }, request) {
  if (method === "initialize") {
    const serverInfo = { name: "http-fixture", version: "1.0.0" };
    return { id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === "tools/list") return { id, result: { tools: [{ name: "echo", inputSchema: { type: "object" } }] } };
  if (method !== "tools/call") return { id, error: { code: -32601, message: "Method not found" } };
  const { name, arguments: args } = params;
  if (name === "echo") return { id, result: text(JSON.stringify(args)) };
  if (name === "headers") return { id, result: text(JSON.stringify(request.headers)) };
  if (name === "requests") return { id, result: text(String(requests)) };
  if (name === "big") return { id, result: text("x".repeat(args.megabytes * 1024 * 1024)) };
  if (name === "lists")
    return { id, result: { content: [], structuredContent: { lists: Array(args.count).fill([]) } } };
  if (name === "rows") {
    const row = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`column ${index}`, index]));
    return { id, result: { content: [], structuredContent: { rows: Array(args.count).fill(row) } } };
  }
  if (name === "changed") {
    for (const stream of streams) stream.write(event({ method: "notifications/tools/list_changed" }));
    return { id, result: text("told") };
  }
  if (name === "forget") {
    sessions.clear();
    return { id, result: text("forgotten") };
  }
  return undefined;
}

function openStream(request, response) {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  streams.add(response);
  request.on("close", () => streams.delete(response));
}

async function streamable(request, response) {
  if (request.method === "DELETE") {
    sessions.delete(request.headers["mcp-session-id"]);
    return response.writeHead(200).end();
  }
  if (request.method === "GET") {
    return faults.includes("stream") ? openStream(request, response) : response.writeHead(405).end();
  }
  const message = JSON.parse(await bodyOf(request));
  const isFirst = message.method === "initialize";
  if (isFirst) sessions.add(randomUUID());
  else if (!sessions.has(request.headers["mcp-session-id"])) return response.writeHead(404).end("Session not found");
  if (message.id === undefined) return response.writeHead(202).end();
  if (message.method === "tools/call") requests++;
  const session = isFirst ? { "mcp-session-id": [...sessions].at(-1) } : {};
  if (faults.includes("json")) {
    if (message.params?.name === "break") return request.socket.destroy();
    const body = JSON.stringify({ jsonrpc: "2.0", ...answer(message, request) });
    return response.writeHead(200, { "content-type": "application/json", ...session }).end(body);
  }
  response.writeHead(200, { "content-type": "text/event-stream", ...session });
  if (message.params?.name === "break") return response.write(": working\n\n", () => request.socket.destroy());
  const reply = answer(message, request);
  if (reply !== undefined) response.end(event(reply));
}

async function sse(request, response) {
  const { pathname } = new URL(request.url, "http://localhost");
  if (request.method === "GET" && pathname === "/sse") {
    openStream(request, response);
    return response.write("event: endpoint\ndata: /messages\n\n");
  }
  if (request.method !== "POST" || pathname !== "/messages") return response.writeHead(405).end("Method not allowed");
  const message = JSON.parse(await bodyOf(request));
  response.writeHead(202).end();
  if (message.params?.name === "break") for (const stream of streams) stream.destroy();
  const reply = message.id === undefined ? undefined : answer(message, request);
  if (reply !== undefined) for (const stream of streams) stream.write(event(reply));
}

async function createModern() {
  const { createMcpHandler, fromJsonSchema, McpServer } = await import("@modelcontextprotocol/server");
  const region = { region: { type: "string", "x-mcp-header": "Region" } };
  const inputSchema = fromJsonSchema({ type: "object", properties: region });
  const listening = new Set();
  const handler = createMcpHandler(
    () => {
      const capabilities = { tools: { listChanged: true } };
      const server = new McpServer({ name: "modern-fixture", version: "2.0.0" }, { capabilities });
      server.registerTool("hello", { description: "Says hello" }, () => text("hello from 2026"));
      server.registerTool("near", { inputSchema }, () => text(lastHeaders["mcp-param-region"] ?? "none"));
      server.registerTool("changed", {}, () => {
        handler.notify.toolsChanged();
        return text(String(listening.size));
      });
      server.registerTool("bare", {}, () => text("no resultType"));
      server.registerTool("cut", {}, () => {
        for (const stream of listening) stream.destroy();
        return text("cut");
      });
      return server;
    },
    { legacy: "reject" },
  );
  return async (request, response) => {
    const body = request.method === "POST" ? await bodyOf(request) : undefined;
    lastHeaders = request.headers;
    if (request.headers["mcp-method"] === "subscriptions/listen") {
      listening.add(response);
      response.on("close", () => listening.delete(response));
    }
    const url = `http://${request.headers.host}${request.url}`;
    const answered = await handler.fetch(new Request(url, { method: request.method, headers: request.headers, body }));
    response.writeHead(answered.status, Object.fromEntries(answered.headers));
    if (body?.includes('"bare"')) response.end((await answered.text()).replace('"resultType":"complete",', ""));
    else if (answered.body === null) response.end();
    else
      Readable.fromWeb(answered.body)
        .on("error", () => {})
        .pipe(response);
  };
}

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

async function createHandler() {
  if (kind === "streamable") return streamable;
  if (kind === "sse") return sse;
  if (kind === "modern") return createModern();
  if (kind === "silent") return () => {};
  const status = Number(kind.split("=")[1]);
  return (_, response) => response.writeHead(status, { "content-type": "text/plain" }).end("<html>no</html>");
}

const handle = await createHandler();
const server = createServer((request, response) => handle(request, response));
const port = Number(faults.find((fault) => fault.startsWith("port="))?.slice(5) ?? 0);
server.listen(port, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}/${kind === "sse" ? "sse" : "mcp"}\n`);
});
process.stdin.on("end", () => process.exit()).resume();
