// A server whose tool answers with the moment at which it was called, in milliseconds.
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";

const server = new McpServer({ name: "clock", version: "1.0.0" });
server.registerTool("moment", { description: "When it was called" }, async () => {
  return { content: [{ type: "text", text: String(performance.timeOrigin + performance.now()) }] };
});
await server.connect(new StdioServerTransport());
