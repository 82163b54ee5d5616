// The MCP tool always checks types first. This server runs guests unchecked, through the library: the argument is the
// path of the configuration.
import { Server } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Coordinator } from "mcp-coordinator";

const coordinator = await Coordinator.open({ config: process.argv[2] });
coordinator.warmUp();
serveStdio(() => {
  const server = new Server({ name: "unchecked", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [] }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const run = await coordinator.execute({ ...params.arguments, check: false });
    return { content: [], structuredContent: { ...run } };
  });
  return server;
});
process.stdin.once("end", () => coordinator.close());
