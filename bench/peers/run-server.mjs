// Vercel's `run`, whose host functions call the server whose command is given with a client of the MCP SDK.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createRunner } from "run";
import { serveByHand } from "../serve-by-hand.mjs";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "peer", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command, args }));
const callTool = async (name, input) => (await client.callTool({ name, arguments: input })).content[0].text;
// 32 at once is its default: more is an error there.
const runner = createRunner({ limits: { maxInFlightBridgeRequests: 100 } });
const hostFunctions = { peer: { echo: (input) => callTool("echo", input), wait: (input) => callTool("wait", input) } };

async function run({ code }) {
  const result = await runner.run({ source: code, hostFunctions });
  if (result.status !== "completed") throw new Error(JSON.stringify(result));
  return result.value;
}

serveByHand({ run }, () => client.close());
