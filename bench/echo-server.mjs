// The smallest MCP server that can be called.
import { createInterface } from "node:readline";
import { respond } from "./echo-tools.mjs";

createInterface({ input: process.stdin }).on("line", async (line) => {
  const response = await respond(line);
  if (response !== undefined) process.stdout.write(`${response}\n`);
});
