import { misused } from "./line/arguments.ts";
import { defineCommand, defineGroup } from "./line/command.ts";
import { runAndPrint } from "./open.ts";
import { talk } from "./terminal/print.ts";

const description = "The environment; the usual one by default";
const name = { type: "positional", description } as const;
const environment = { type: "string", valueHint: "name", description } as const;
const language = {
  type: "choice",
  choices: ["python", "typescript"],
  description: "Whose packages; default python",
} as const;

const list = defineCommand({
  description: "The environments",
  run: (args) => runAndPrint("list_environments", args, {}),
});

const create = defineCommand({
  description: "Make an environment, or change what it is based on",
  args: {
    name,
    type: { type: "choice", choices: ["venv", "uv", "conda", "micromamba"], description: "Default venv" },
    venv: { type: "string", valueHint: "path", description: "Your virtual environment that it is based on" },
    conda: { type: "string", valueHint: "name", description: "Your conda environment that it is based on" },
  },
  run(args) {
    const type = args.type ?? (args.conda === undefined ? "venv" : "conda");
    const path = type === "uv" ? { uv_venv_path: args.venv } : { venv_path: args.venv };
    return runAndPrint("configure_environment", args, { type, name: args.name, ...path, conda_name: args.conda });
  },
});

const show = defineCommand({
  description: "What an environment is based on, and what is in it",
  args: { name },
  run: (args) => runAndPrint("get_environment_config", args, { name: args.name }),
});

const install = defineCommand({
  description: "Install packages from the package index, all or none",
  args: {
    "packages…": { type: "positional", required: true, description: "As in pandas or 'pandas>=2,<3'" },
    environment,
    language,
  },
  run(args) {
    const input = { packages: args._, environment: args.environment, language: args.language };
    return runAndPrint("install_dependencies", args, input, { onProgress: talk });
  },
});

const packages = defineCommand({
  description: "The packages of an environment: name, version, place",
  args: { name, language },
  run: (args) => runAndPrint("check_installed_packages", args, { environment: args.name, language: args.language }),
});

const set = defineCommand({
  description: "Set variables that guests see; an empty value removes one",
  args: { "variables…": { type: "positional", required: true, description: "NAME=value" }, environment },
  async run(args) {
    const variables = Object.fromEntries(args._.map(readVariable));
    return runAndPrint("set_runtime_env", args, { variables, environment: args.environment });
  },
});

function readVariable(word: string): [name: string, value: string] {
  const at = word.indexOf("=");
  // The word may be a secret: it is not repeated.
  if (at < 1) throw misused("A variable is written as NAME=value");
  return [word.slice(0, at), word.slice(at + 1)];
}

const rm = defineCommand({
  description: "Remove an environment with its packages and variables",
  args: { name: { type: "positional", required: true, description: "The environment" } },
  run: (args) => runAndPrint("remove_environment", args, { name: args.name }),
});

export const env = defineGroup("Environments: packages and variables of guests", {
  list,
  create,
  show,
  install,
  packages,
  set,
  rm,
});
