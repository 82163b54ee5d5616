import { defineCommand } from "citty";
import { commonArguments, readNumber } from "./arguments.ts";
import { answerBy } from "./terminal/print-operation.ts";

const list = defineCommand({
  meta: { name: "list", description: "The newest runs" },
  args: {
    limit: { type: "string", valueHint: "number", description: "How many; 20 without it" },
    ...commonArguments,
  },
  run: ({ args }) => answerBy("list_runs", args, { limit: readNumber("--limit", args.limit) }),
});

const show = defineCommand({
  meta: { name: "show", description: "One run: its code, its end, its tool calls" },
  args: { run: { type: "positional", required: true, description: "Its id, from `runs list`" }, ...commonArguments },
  run: ({ args }) => answerBy("get_run", args, { run: args.run }),
});

export const runs = defineCommand({
  meta: { name: "runs", description: "The journal of runs and their tool calls" },
  args: commonArguments,
  subCommands: { list, show },
});
