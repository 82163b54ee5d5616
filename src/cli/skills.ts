import { defineCommand } from "citty";
import { commonArguments, misused, readList, readNumber } from "./arguments.ts";
import { readCallArguments } from "./call-arguments.ts";
import { interruption } from "./terminal/interruption.ts";
import { answerBy } from "./terminal/print-operation.ts";
import { readInput } from "./terminal/read-input.ts";

const name = { type: "positional", required: true, description: "Its name, from `skills list`" } as const;
const version = {
  type: "string",
  valueHint: "number",
  description: "A certain version; the latest without it",
} as const;

function answer(operation: string, args: Parameters<typeof answerBy>[1], input: unknown): Promise<number> {
  return answerBy(operation, args, input, { exactly: operation === "run_skill", signal: interruption() });
}

const list = defineCommand({
  meta: { name: "list", description: "The skills, the latest version of each" },
  args: {
    tag: { type: "string", valueHint: "tag", description: "Only those with this tag" },
    language: { type: "enum", options: ["typescript", "python"], description: "Only those in this language" },
    ...commonArguments,
  },
  run: ({ args }) => answer("list_skills", args, { tag: args.tag, language: args.language }),
});

const show = defineCommand({
  meta: { name: "show", description: "One skill: its code, its tests, how it is imported" },
  args: { name, version, ...commonArguments },
  run: ({ args }) => answer("get_skill", args, { name: args.name, version: readNumber("--version", args.version) }),
});

const search = defineCommand({
  meta: { name: "search", description: "Skills by words of their name, tags, description or code" },
  args: {
    "query…": { type: "positional", required: true, description: "Words" },
    limit: { type: "string", valueHint: "number", description: "How many at most; 10 without it" },
    ...commonArguments,
  },
  run: ({ args }) =>
    answer("search_skills", args, { query: args._.join(" "), limit: readNumber("--limit", args.limit) }),
});

const save = defineCommand({
  meta: { name: "save", description: "Check, test and store a skill as its next version" },
  args: {
    file: { type: "positional", required: true, description: "Its code, or - for stdin; with --from-run its name" },
    name: { type: "string", valueHint: "name", description: "Its name; that of the file without it" },
    description: { type: "string", valueHint: "text", description: "The doc comment's first line without it" },
    tags: { type: "string", valueHint: "a,b", description: "Words to find it by" },
    tests: { type: "string", valueHint: "file", description: "Code that throws when the skill is wrong" },
    language: { type: "enum", options: ["typescript", "python"], description: "The file's ending tells without it" },
    "from-run": { type: "string", valueHint: "id", description: "Make it from the code of this run" },
    ...commonArguments,
  },
  async run({ args }) {
    const tests = args.tests === undefined ? undefined : await readInput(args.tests);
    const about = { description: args.description, tags: readList(args.tags), tests };
    const run = args["from-run"];
    if (run !== undefined) return answer("save_skill_from_run", args, { run, name: args.name ?? args.file, ...about });
    const code = await readInput(args.file);
    const language = args.language ?? (/\.(ts|py)$/.exec(args.file)?.[1] === "py" ? "python" : undefined);
    return answer("save_skill", args, { name: args.name ?? nameOf(args.file), code, language, ...about });
  },
});

/** `lib/order_total.ts` is `order_total`. */
function nameOf(file: string): string {
  const [, found] = /(?:^|[/\\])([^/\\]+)\.(?:ts|py)$/.exec(file) ?? [];
  if (found !== undefined) return found;
  throw misused("--name is missing", "Only a file that ends in .ts or .py has a name for a skill.");
}

const run = defineCommand({
  meta: { name: "run", description: "Run a skill in the sandbox and print what it gives" },
  args: {
    name,
    "key=value…": { type: "positional", required: false, description: "Its arguments; values are JSON, else text" },
    args: { type: "string", valueHint: "json", description: "Arguments as JSON, @file, or - for stdin" },
    version,
    timeout: { type: "string", valueHint: "seconds", description: "When it is ended; 30 without it" },
    ...commonArguments,
  },
  async run({ args }) {
    const [wanted, ...pairs] = args._;
    const input = {
      name: wanted,
      args: await readCallArguments(pairs, args.args),
      version: readNumber("--version", args.version),
      timeout: readNumber("--timeout", args.timeout),
    };
    return answer("run_skill", args, input);
  },
});

const history = defineCommand({
  meta: { name: "history", description: "Every version of a skill, the newest first" },
  args: { name, ...commonArguments },
  run: ({ args }) => answer("skill_history", args, { name: args.name }),
});

const diff = defineCommand({
  meta: { name: "diff", description: "What changed between two versions; the last change without them" },
  args: {
    name,
    from: { type: "string", valueHint: "number", description: "The older version; the one before without it" },
    to: { type: "string", valueHint: "number", description: "The newer version; the latest without it" },
    ...commonArguments,
  },
  run: ({ args }) => {
    const [from, to] = [readNumber("--from", args.from), readNumber("--to", args.to)];
    return answer("skill_diff", args, { name: args.name, from, to });
  },
});

const rm = defineCommand({
  meta: { name: "rm", description: "Delete a skill, or one version of it" },
  args: {
    name,
    version: { type: "string", valueHint: "number", description: "Only this version" },
    ...commonArguments,
  },
  run: ({ args }) => answer("delete_skill", args, { name: args.name, version: readNumber("--version", args.version) }),
});

const exporting = defineCommand({
  meta: { name: "export", description: "Write skills as Agent Skills folders" },
  args: {
    "name…": { type: "positional", required: false, description: "Which; all without it" },
    out: { type: "string", required: true, valueHint: "folder", description: "Where to" },
    ...commonArguments,
  },
  run: ({ args }) => answer("export_skills", args, { out: args.out, ...(args._.length > 0 && { names: args._ }) }),
});

const importing = defineCommand({
  meta: { name: "import", description: "Import Agent Skills that have code in TypeScript or Python" },
  args: {
    from: { type: "positional", required: true, description: "A folder with a SKILL.md, or one of such folders" },
    ...commonArguments,
  },
  run: ({ args }) => answer("import_skills", args, { from: args.from }),
});

export const skills = defineCommand({
  meta: { name: "skills", description: "Functions that were saved for later runs" },
  args: commonArguments,
  subCommands: { list, show, search, save, run, history, diff, rm, export: exporting, import: importing },
});
