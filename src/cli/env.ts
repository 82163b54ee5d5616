import { defineCommand } from "citty";
import { commonArguments, misused } from "./arguments.ts";
import { interruption } from "./terminal/interruption.ts";
import { talk } from "./terminal/print.ts";
import { answerBy } from "./terminal/print-operation.ts";

const name = {
  type: "positional",
  required: false,
  description: "The environment; the default one without it",
} as const;
const environment = {
  type: "string",
  valueHint: "name",
  description: "The environment; the default one without it",
} as const;
const language = {
  type: "enum" as const,
  options: ["python", "typescript"],
  description: "Whose packages; python without it",
};

const list = defineCommand({
  meta: { name: "list", description: "The environments" },
  args: commonArguments,
  run: ({ args }) => answerBy("list_environments", args, {}),
});

const create = defineCommand({
  meta: { name: "create", description: "Make an environment, or change what it is based on" },
  args: {
    name,
    type: { type: "enum", options: ["venv", "uv", "conda", "micromamba"], description: "venv without it" },
    venv: { type: "string", valueHint: "path", description: "A virtual environment of yours to base it on" },
    conda: { type: "string", valueHint: "name", description: "A conda environment of yours to base it on" },
    ...commonArguments,
  },
  run({ args }) {
    const type = args.type ?? (args.conda === undefined ? "venv" : "conda");
    const path = type === "uv" ? { uv_venv_path: args.venv } : { venv_path: args.venv };
    return answerBy("configure_environment", args, { type, name: args.name, ...path, conda_name: args.conda });
  },
});

const show = defineCommand({
  meta: { name: "show", description: "What an environment is based on, and what is in it" },
  args: { name, ...commonArguments },
  run: ({ args }) => answerBy("get_environment_config", args, { name: args.name }),
});

const install = defineCommand({
  meta: { name: "install", description: "Install packages from the package index, all or none" },
  args: {
    "packages…": { type: "positional", required: true, description: "As in pandas or 'pandas>=2,<3'" },
    environment,
    language,
    ...commonArguments,
  },
  run({ args }) {
    const input = { packages: args._, environment: args.environment, language: args.language };
    return answerBy("install_dependencies", args, input, { signal: interruption(), onProgress: talk });
  },
});

const packages = defineCommand({
  meta: { name: "packages", description: "The packages of an environment: name, version, place" },
  args: { name, language, ...commonArguments },
  run: ({ args }) => answerBy("check_installed_packages", args, { environment: args.name, language: args.language }),
});

const set = defineCommand({
  meta: { name: "set", description: "Set variables that guests see; an empty value removes one" },
  args: {
    "variables…": { type: "positional", required: true, description: "NAME=value" },
    environment,
    ...commonArguments,
  },
  run({ args }) {
    const variables = Object.fromEntries(args._.map(readVariable));
    return answerBy("set_runtime_env", args, { variables, environment: args.environment });
  },
});

function readVariable(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  // The word may be a secret: it is not repeated.
  if (at < 1) throw misused("A variable is written as NAME=value");
  return [word.slice(0, at), word.slice(at + 1)];
}

const rm = defineCommand({
  meta: { name: "rm", description: "Remove an environment with its packages and variables" },
  args: { name: { ...name, required: true, description: "The environment" }, ...commonArguments },
  run: ({ args }) => answerBy("remove_environment", args, { name: args.name }),
});

export const env = defineCommand({
  meta: { name: "env", description: "Environments: packages and variables of guests" },
  args: commonArguments,
  subCommands: { list, create, show, install, packages, set, rm },
});
