import { defineCommand } from "./line/command.ts";
import { runAndPrint } from "./open.ts";
import { askTerminal } from "./terminal/ask-terminal.ts";

export const remove = defineCommand({
  description: "Take a server out of the configuration",
  args: {
    name: { type: "positional", required: true, description: "A name from the configuration" },
    yes: { type: "boolean", description: "Do not ask" },
  },
  run: (args) => runAndPrint("mcp_remove", args, { name: args.name }, { caller: askTerminal(args) }),
});
