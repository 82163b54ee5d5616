import { readCallArguments } from "./line/call-arguments.ts";
import { defineCommand } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { asCommand } from "./terminal/as-command.ts";
import { interruption } from "./terminal/interruption.ts";
import { printJson, printValue } from "./terminal/print.ts";
import { askingHere } from "./terminal/terminal-asker.ts";

export const call = defineCommand({
  description: "Call one tool and print its result",
  args: {
    server: { type: "positional", required: true, description: "A name from the configuration" },
    tool: { type: "positional", required: true, description: "The tool's exact name" },
    "key=value…": { type: "positional", description: "Its arguments; values are JSON, else text" },
    args: { type: "string", valueHint: "json", description: "Arguments as JSON, @file, or - for stdin" },
  },
  async run(args) {
    const [server = "", tool = "", ...pairs] = args._;
    const given = await readCallArguments(pairs, args.args);
    await using coordinator = await openCoordinator(args, askingHere());
    const context = { ...asCommand, signal: interruption() };
    const value = await coordinator.callTool(server, tool, given, context);
    if (args.json) printJson(value);
    else printValue(value);
  },
});
