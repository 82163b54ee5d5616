import { defineCommand } from "citty";
import { commonArguments, readNumber } from "./arguments.ts";
import { openCoordinator } from "./open.ts";
import { printOperation } from "./terminal/print-operation.ts";

const list = defineCommand({
  meta: { name: "list", description: "The newest runs" },
  args: {
    limit: { type: "string", valueHint: "number", description: "How many; 20 without it" },
    ...commonArguments,
  },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(
      coordinator,
      "list_runs",
      { limit: readNumber("--limit", args.limit) },
      { json: args.json },
    );
  },
});

const show = defineCommand({
  meta: { name: "show", description: "One run: its code, its end, its tool calls" },
  args: { run: { type: "positional", required: true, description: "Its id, from `runs list`" }, ...commonArguments },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "get_run", { run: args.run }, { json: args.json });
  },
});

export const runs = defineCommand({
  meta: { name: "runs", description: "The journal of runs and their tool calls" },
  args: commonArguments,
  subCommands: { list, show },
});
