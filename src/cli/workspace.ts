import type { FileRun } from "../operations/files/execute-code-file.ts";
import { dataOf, showRun } from "../runtime/results/run-result.ts";
import { isTestReport } from "../runtime/results/test-report.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { openCoordinator, runAndPrint } from "./open.ts";
import { printOutput } from "./run.ts";
import { asCommand } from "./terminal/as-command.ts";
import { interruption } from "./terminal/interruption.ts";
import { printExactly, printJson, talk } from "./terminal/print.ts";
import { readInput } from "./terminal/read-input.ts";

const path = { type: "positional", required: true, description: "A path in the workspace" } as const;
const source = { type: "positional", default: "-", description: "A file, or - for stdin" } as const;

const list = defineCommand({
  description: "Its files, with sizes and times",
  args: {
    folder: { type: "positional", description: "Only what is in this folder" },
    pattern: { type: "string", valueHint: "*.py", description: "Only files of such names" },
  },
  run: ({ folder, pattern, ...args }) => runAndPrint("list_code_files", args, { folder, pattern }),
});

const read = defineCommand({
  description: "The text of a file",
  args: { path },
  async run(args) {
    await using coordinator = await openCoordinator(args);
    const content = (await coordinator.run("workspace_read", { path: args.path })) as string;
    if (args.json) printJson({ file_path: args.path, content });
    else printExactly(process.stdout, content);
  },
});

const write = defineCommand({
  description: "Replace a file, or make it",
  args: { path, source },
  run: (args) => put("overwrite_code_file", args),
});

const append = defineCommand({
  description: "Add to the end of a file",
  args: { path, source },
  run: (args) => put("append_to_code_file", args),
});

async function put(
  operation: string,
  args: { path: string; source: string; json?: boolean | undefined; config?: string | undefined },
): Promise<number> {
  return runAndPrint(operation, args, { file_path: args.path, content: await readInput(args.source) });
}

const run = defineCommand({
  description: "Run a file in the sandbox, or the tests of a test file",
  args: {
    path,
    "argument…": { type: "positional", description: "What the file gets as its arguments" },
    language: {
      type: "choice",
      choices: ["typescript", "python"],
      description: "By default the file's ending decides",
    },
    servers: { type: "list", description: "The only servers that it may use" },
    timeout: { type: "number", valueHint: "seconds", description: "When it is ended; default 30" },
    test: { type: "boolean", description: "Run its tests; by default its name decides" },
  },
  async run(args) {
    const [file_path, ...given] = args._;
    await using coordinator = await openCoordinator(args);
    const { language, test } = args;
    const timeout = args.timeout;
    const input = { file_path, args: given, language, servers: args.servers, timeout, test };
    const context = { ...asCommand, signal: interruption() };
    const { result, ...ran } = (await coordinator.run("execute_code_file", input, context)) as FileRun;
    if (args.json) printJson({ ...dataOf(ran), result });
    else await printOutput(isTestReport(result) || result === undefined ? ran : { ...ran, result }, coordinator);
    if (ran.status === "ok") return 0;
    const { status, error, run: id, calls } = ran;
    talk(showRun({ status, run: id, calls, ...(error && { error }) }));
    return 1;
  },
});

const rm = defineCommand({
  description: "Remove a file",
  args: { path },
  run: (args) => runAndPrint("delete_code_file", args, { file_path: args.path }),
});

const commit = defineCommand({
  description: "Record the files in the workspace's git repository",
  args: {
    message: { type: "positional", required: true, description: "What was done, and why" },
    init: { type: "boolean", description: "Make the workspace a repository if it is not one" },
  },
  run: ({ message, init, ...args }) => runAndPrint("commit_workspace", args, { message, init }),
});

export const workspace = defineGroup("The files that file tools and guests share", {
  list,
  read,
  write,
  append,
  run,
  rm,
  commit,
});
