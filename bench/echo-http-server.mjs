// The same over streamable HTTP, without sessions: a response for each request.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { respond } from "./echo-tools.mjs";

const http = createServer(async (request, response) => {
  if (request.method !== "POST") return response.writeHead(405).end();
  const body = await respond(await text(request));
  if (body === undefined) response.writeHead(202).end();
  else response.writeHead(200, { "content-type": "application/json" }).end(body);
});
http.listen(0, "127.0.0.1", () => console.error(`listening on http://127.0.0.1:${http.address().port}/mcp`));
process.on("SIGTERM", () => process.exit());
