// The floor of serving over HTTP: a server of the official SDK that does nothing, with a session for each client.
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

const sessions = new Map();

async function open() {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  const server = new Server({ name: "empty", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [] }));
  server.setRequestHandler("tools/call", () => ({ content: [] }));
  await server.connect(transport);
  return transport;
}

const http = createServer(async (incoming, outgoing) => {
  const request = new Request("http://localhost/mcp", { method: incoming.method, headers: incoming.headers });
  const body = incoming.method === "POST" ? JSON.parse(await text(incoming)) : undefined;
  const transport = sessions.get(incoming.headers["mcp-session-id"]) ?? (await open());
  const response = await transport.handleRequest(request, { parsedBody: body });
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const part of response.body ?? []) outgoing.write(part);
  outgoing.end();
});
http.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`));
process.on("SIGTERM", () => process.exit());
