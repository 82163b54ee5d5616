import { defineCommand, defineGroup } from "./command.ts";
import { runOperation } from "./open.ts";

const list = defineCommand({
  description: "The newest runs",
  args: { limit: { type: "number", description: "How many; default 20" } },
  run: (args) => runOperation("list_runs", args, { limit: args.limit }),
});

const show = defineCommand({
  description: "One run: its code, its end, its tool calls",
  args: { run: { type: "positional", required: true, description: "Its id, from `runs list`" } },
  run: (args) => runOperation("get_run", args, { run: args.run }),
});

export const runs = defineGroup("The journal of runs and their tool calls", { list, show });
