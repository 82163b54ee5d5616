// UTCP's code mode over the server whose command is given: `run` gives what a program returns, `definitions` what a model is told.
import { CodeModeUtcpClient } from "@utcp/code-mode";
import "@utcp/mcp";
import { serveByHand } from "../serve-by-hand.mjs";

console.log = () => {}; // it talks where the answers go
const [command, ...args] = process.argv.slice(2);
const client = await CodeModeUtcpClient.create();
await client.registerManual({
  name: "peer",
  call_template_type: "mcp",
  config: { mcpServers: { echo: { transport: "stdio", command, args } } },
});

async function run({ code }) {
  const { result, logs } = await client.callToolChain(code);
  const failure = logs.find((line) => line.startsWith("[ERROR]"));
  if (failure) throw new Error(failure);
  return result;
}

serveByHand({ run, definitions: () => CodeModeUtcpClient.AGENT_PROMPT_TEMPLATE });
