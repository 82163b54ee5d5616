import { defineCommand } from "citty";
import { commonArguments } from "./arguments.ts";
import { askTerminal } from "./terminal/ask-terminal.ts";
import { interruption } from "./terminal/interruption.ts";
import { answerBy } from "./terminal/print-operation.ts";

export const remove = defineCommand({
  meta: { name: "remove", description: "Take a server out of the configuration" },
  args: {
    name: { type: "positional", required: true, description: "A name from the configuration" },
    yes: { type: "boolean", description: "Do not ask" },
    ...commonArguments,
  },
  run: ({ args }) =>
    answerBy("mcp_remove", args, { name: args.name }, { caller: askTerminal(args), signal: interruption() }),
});
