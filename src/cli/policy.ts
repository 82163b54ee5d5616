import { readCallArguments } from "./line/call-arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { openCoordinator } from "./open.ts";
import { printOperation } from "./terminal/print-operation.ts";
import { withProgress } from "./terminal/progress.ts";

interface Common {
  readonly config?: string | undefined;
  readonly json?: boolean | undefined;
}

const show = defineCommand({
  description: "The rules in force: each layer with its file, its preset and its rules in their order",
  run: (args) => runPolicy("show_policy", args, {}),
});

const test = defineCommand({
  description: "What the rules say to a call that nobody makes, and which rule says it",
  args: {
    server: { type: "positional", required: true, description: "A server; `coordinator` for acts of our own" },
    tool: {
      type: "positional",
      required: true,
      description: "The tool's exact name, or `packages.install` and the like",
    },
    "key=value…": { type: "positional", description: "Its arguments; values are JSON, else text" },
    args: { type: "string", valueHint: "json", description: "Arguments as JSON, @file, or - for stdin" },
    via: { type: "string", valueHint: "face", description: "By which face it comes; default code" },
    kind: {
      type: "choice",
      choices: ["tool", "resource", "prompt", "completion", "list", "own"],
      description: "What it is; default tool",
    },
  },
  async run({ _: [server = "", tool = "", ...pairs], args: text, via, kind, ...common }) {
    const args = await readCallArguments(pairs, text);
    return await runPolicy("test_policy", common, { server, tool, args, via, kind });
  },
});

const lint = defineCommand({
  description: "Rules that never decide, fit nothing, or have no effect; exits 1 when there are any",
  run: (args) => runPolicy("lint_policy", args, {}),
});

const replay = defineCommand({
  description: "Which calls of the journal the rules would decide otherwise than was decided",
  args: {
    since: { type: "string", valueHint: "7d", description: "30m, 12h, 7d, 2w, or a date; default 7d" },
    rules: { type: "string", valueHint: "file", description: "With these rules in place of yours" },
    limit: { type: "number", description: "How many changed calls are listed; default 1000" },
  },
  run: ({ since, rules, limit, ...common }) => runPolicy("replay_policy", common, { since, rules, limit }),
});

export const policy = defineGroup("The rules about what may be called", { show, test, lint, replay });

/** Rules are not the servers' alone: there may be some where none is configured. */
async function runPolicy(operation: string, args: Common, input: object): Promise<number> {
  await using coordinator = await openCoordinator(args, { mayBeMissing: true });
  return await withProgress(args, (onProgress) =>
    printOperation(coordinator, operation, input, { json: args.json, onProgress }),
  );
}
