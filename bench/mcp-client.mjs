// A real MCP client on stdio, made of the official SDK and nothing of ours.
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const maxBufferSize = 64 * 1024 * 1024;

/** Takes an answer as it was sent: the SDK's own types would drop what they do not know. */
const asSent = { "~standard": { version: 1, vendor: "bench", validate: (value) => ({ value }) } };

/** Starts a server and shakes hands with it. Its stderr is shown only when it is wanted. */
export async function connect({ command = process.execPath, args, env = {}, cwd, stderr = "ignore" }) {
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...getDefaultEnvironment(), ...env },
    ...(cwd && { cwd }),
    stderr,
    maxBufferSize,
  });
  const client = new Client({ name: "mcp-coordinator-bench", version: "1.0.0" });
  await client.connect(transport);
  return {
    pid: transport.pid,
    /** The definitions as a model gets them. */
    listTools: async () => (await client.request({ method: "tools/list", params: {} }, asSent)).tools,
    callTool: (name, args = {}) => client.callTool({ name, arguments: args }),
    close: () => client.close(),
  };
}
