// A server that writes each call of a tool of its into a file, as a line of JSON: what happened, not what was said of it.
// `node ledger-server.mjs FILE [--kill-at N]`: at the N-th call it kills the program that started it.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import * as z from "zod";

const [file, , killAt] = process.argv.slice(2);
let calls = 0;
const server = new McpServer({ name: "ledger", version: "1.0.0" });
const text = z.string();
const tools = {
  send_mail: [{ to: text, body: text.optional() }, { destructiveHint: true }],
  delete_file: [{ path: text }, { destructiveHint: true }],
  read_file: [{ path: text }, { readOnlyHint: true }],
};
for (const [name, [fields, annotations]] of Object.entries(tools)) {
  const inputSchema = z.object(fields);
  server.registerTool(name, { description: `The tool ${name}`, inputSchema, annotations }, async (args) => {
    appendFileSync(file, `${JSON.stringify({ tool: name, args })}\n`);
    if (++calls === Number(killAt)) process.kill(process.ppid, "SIGKILL");
    return { content: [{ type: "text", text: `${name} is done` }] };
  });
}
await server.connect(new StdioServerTransport());
