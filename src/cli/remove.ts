import { defineCommand } from "citty";
import { commonArguments } from "./arguments.ts";
import { openCoordinator } from "./open.ts";
import { askTerminal } from "./terminal/ask-terminal.ts";
import { interruption } from "./terminal/interruption.ts";
import { printOperation } from "./terminal/print-operation.ts";

export const remove = defineCommand({
  meta: { name: "remove", description: "Take a server out of the configuration" },
  args: {
    name: { type: "positional", required: true, description: "A name from the configuration" },
    yes: { type: "boolean", description: "Do not ask" },
    ...commonArguments,
  },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    const context = { json: args.json, caller: askTerminal(args), signal: interruption() };
    return await printOperation(coordinator, "mcp_remove", { name: args.name }, context);
  },
});
