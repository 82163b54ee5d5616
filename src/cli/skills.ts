import { misused } from "./line/arguments.ts";
import { readCallArguments } from "./line/call-arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { runAndPrint } from "./open.ts";
import { readInput } from "./terminal/read-input.ts";

const name = { type: "positional", required: true, description: "Its name, from `skills list`" } as const;
const version = {
  type: "number",
  description: "One version; the latest by default",
} as const;

const list = defineCommand({
  description: "The skills, the latest version of each",
  args: {
    tag: { type: "string", valueHint: "tag", description: "Only those with this tag" },
    language: { type: "choice", choices: ["typescript", "python"], description: "Only those in this language" },
  },
  run: (args) => runAndPrint("list_skills", args, { tag: args.tag, language: args.language }),
});

const show = defineCommand({
  description: "One skill: its code, its tests, how it is imported",
  args: { name, version },
  run: (args) => runAndPrint("get_skill", args, { name: args.name, version: args.version }),
});

const search = defineCommand({
  description: "Skills by words of their name, tags, description or code",
  args: {
    "query…": { type: "positional", required: true, description: "Words" },
    limit: { type: "number", description: "How many at most; default 10" },
  },
  run: (args) => runAndPrint("search_skills", args, { query: args._.join(" "), limit: args.limit }),
});

const save = defineCommand({
  description: "Check, test and store a skill as its next version",
  args: {
    file: { type: "positional", required: true, description: "Its code, or - for stdin; with --from-run its name" },
    name: { type: "string", valueHint: "name", description: "Its name; the file's name by default" },
    description: { type: "string", valueHint: "text", description: "By default the doc comment's first line" },
    tags: { type: "list", description: 'Words to find it by; those that it has by default, "" for none' },
    tests: {
      type: "string",
      valueHint: "file",
      description: 'Code that throws when the skill is wrong; what it has by default, "" for none',
    },
    language: {
      type: "choice",
      choices: ["typescript", "python"],
      description: "By default the file's ending decides",
    },
    "from-run": { type: "string", valueHint: "id", description: "Make it from the code of this run" },
  },
  async run(args) {
    const tests = args.tests ? await readInput(args.tests) : args.tests;
    const about = { description: args.description, tags: args.tags, tests };
    const run = args["from-run"];
    if (run !== undefined)
      return runAndPrint("save_skill_from_run", args, { run, name: args.name ?? args.file, ...about });
    const code = await readInput(args.file);
    const language = args.language ?? (/\.(ts|py)$/.exec(args.file)?.[1] === "py" ? "python" : undefined);
    return runAndPrint("save_skill", args, { name: args.name ?? nameOf(args.file), code, language, ...about });
  },
});

/** `lib/order_total.ts` is `order_total`. */
function nameOf(file: string): string {
  const [, found] = /(?:^|[/\\])([^/\\]+)\.(?:ts|py)$/.exec(file) ?? [];
  if (found !== undefined) return found;
  throw misused("--name is missing", "Only a file that ends in .ts or .py has a name for a skill.");
}

const run = defineCommand({
  description: "Run a skill in the sandbox and print what it gives",
  args: {
    name,
    "key=value…": { type: "positional", description: "Its arguments; values are JSON, else text" },
    args: { type: "string", valueHint: "json", description: "Arguments as JSON, @file, or - for stdin" },
    version,
    timeout: { type: "number", valueHint: "seconds", description: "When it is ended; default 30" },
  },
  async run(args) {
    const [wanted, ...pairs] = args._;
    const input = {
      name: wanted,
      args: await readCallArguments(pairs, args.args),
      version: args.version,
      timeout: args.timeout,
    };
    return runAndPrint("run_skill", args, input, { exactly: true });
  },
});

const history = defineCommand({
  description: "Every version of a skill, the newest first",
  args: { name },
  run: (args) => runAndPrint("skill_history", args, { name: args.name }),
});

const diff = defineCommand({
  description: "What changed between two versions; the last change by default",
  args: {
    name,
    from: { type: "number", description: "The older version; the one before the newer by default" },
    to: { type: "number", description: "The newer version; the latest by default" },
  },
  run: (args) => {
    const [from, to] = [args.from, args.to];
    return runAndPrint("skill_diff", args, { name: args.name, from, to });
  },
});

const rm = defineCommand({
  description: "Delete a skill, or one version of it",
  args: {
    name,
    version: { type: "number", description: "Only this version" },
  },
  run: (args) => runAndPrint("delete_skill", args, { name: args.name, version: args.version }),
});

const exporting = defineCommand({
  description: "Write skills as folders of Agent Skills",
  args: {
    "name…": { type: "positional", description: "Which; all by default" },
    out: { type: "string", required: true, valueHint: "folder", description: "Where to" },
  },
  run: (args) => runAndPrint("export_skills", args, { out: args.out, ...(args._.length > 0 && { names: args._ }) }),
});

const importing = defineCommand({
  description: "Take over Agent Skills that hold code in TypeScript or Python",
  args: {
    from: {
      type: "positional",
      required: true,
      description: "A folder with a SKILL.md, or one that holds such folders",
    },
  },
  run: (args) => runAndPrint("import_skills", args, { from: args.from }),
});

export const skills = defineGroup("Functions that were saved for later runs", {
  list,
  show,
  search,
  save,
  run,
  history,
  diff,
  rm,
  export: exporting,
  import: importing,
});
