// The AI SDK's MCP client: connects as it is told, lists, calls, prints what it got.
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";

const { stdio, http, calls } = JSON.parse(process.argv[2]);
const transport = stdio ? new StdioTransport(stdio) : { type: "http", ...http };
const client = await createMCPClient({ transport });
const { tools } = await client.listTools();
const results = [];
for (const [name, args] of calls) results.push(await client.callTool({ name, arguments: args }));
console.log(
  JSON.stringify({
    version: client.initializeResult.protocolVersion,
    tools: tools.map(({ name }) => name),
    results: results.map(({ structuredContent }) => structuredContent),
  }),
);
await client.close();
