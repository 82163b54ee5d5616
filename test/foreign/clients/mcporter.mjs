// mcporter: connects as it is told, lists, calls, prints what it got.
import { createRuntime } from "mcporter";

const { stdio, http, calls } = JSON.parse(process.argv[2]);
const command = stdio
  ? { kind: "stdio", command: stdio.command, args: stdio.args, cwd: process.cwd() }
  : { kind: "http", url: new URL(http.url), headers: http.headers };
const runtime = await createRuntime({ servers: [{ name: "coordinator", command, env: stdio?.env }] });
const tools = await runtime.listTools("coordinator");
const results = [];
for (const [name, args] of calls) results.push(await runtime.callTool("coordinator", name, { args }));
const { client } = await runtime.connect("coordinator");
console.log(
  JSON.stringify({
    version: client.getNegotiatedProtocolVersion?.(),
    tools: tools.map(({ name }) => name),
    results: results.map(({ structuredContent }) => structuredContent),
  }),
);
await runtime.close();
