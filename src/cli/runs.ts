import { defineCommand, defineGroup } from "./line/command.ts";
import { runAndPrint } from "./open.ts";

const list = defineCommand({
  description: "The newest runs",
  args: { limit: { type: "number", description: "How many; default 20" } },
  run: (args) => runAndPrint("list_runs", args, { limit: args.limit }),
});

const show = defineCommand({
  description: "One run: its code, its end, its tool calls",
  args: { run: { type: "positional", required: true, description: "Its id, from `runs list`" } },
  run: (args) => runAndPrint("get_run", args, { run: args.run }),
});

export const runs = defineGroup("The journal of runs and their tool calls", { list, show });
