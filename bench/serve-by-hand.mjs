// An MCP server without a list of tools, for the programs that a bench starts and asks: lines in, lines out, no SDK.
import { createInterface } from "node:readline";

/** `tools` are functions by name, which give a value for arguments; `end` is called when nobody asks any more. */
export function serveByHand(tools, end = () => {}) {
  const lines = createInterface({ input: process.stdin });
  lines.on("line", async (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const answer = method === "initialize" ? { result: {} } : await answerOf(tools[params.name], params.arguments);
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, ...answer })}\n`);
  });
  lines.once("close", async () => {
    await end();
    process.exit();
  });
}

async function answerOf(tool, args) {
  try {
    return { result: (await tool(args)) ?? null };
  } catch (error) {
    return { error: { code: -32000, message: String(error?.message ?? error) } };
  }
}
