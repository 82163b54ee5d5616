import { defineCommand } from "citty";
import { commonArguments, misused } from "./arguments.ts";
import { openCoordinator } from "./open.ts";
import { interruption } from "./terminal/interruption.ts";
import { talk } from "./terminal/print.ts";
import { printOperation } from "./terminal/print-operation.ts";

const name = { type: "positional", required: false, description: "The environment; the usual one without it" } as const;
const environment = {
  type: "string",
  valueHint: "name",
  description: "The environment; the usual one without it",
} as const;
const language = {
  type: "enum" as const,
  options: ["python", "typescript"],
  description: "Whose packages; python without it",
};

const list = defineCommand({
  meta: { name: "list", description: "The environments" },
  args: commonArguments,
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "list_environments", {}, { json: args.json });
  },
});

const create = defineCommand({
  meta: { name: "create", description: "Make an environment, or change what it stands on" },
  args: {
    name,
    type: { type: "enum", options: ["venv", "uv", "conda", "micromamba"], description: "venv without it" },
    venv: { type: "string", valueHint: "path", description: "A virtual environment of yours to stand on" },
    conda: { type: "string", valueHint: "name", description: "A conda environment of yours to stand on" },
    ...commonArguments,
  },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    const type = args.type ?? (args.conda === undefined ? "venv" : "conda");
    const path = type === "uv" ? { uv_venv_path: args.venv } : { venv_path: args.venv };
    const input = { type, name: args.name, ...path, conda_name: args.conda };
    return await printOperation(coordinator, "configure_environment", input, { json: args.json });
  },
});

const show = defineCommand({
  meta: { name: "show", description: "What an environment stands on, and what is in it" },
  args: { name, ...commonArguments },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "get_environment_config", { name: args.name }, { json: args.json });
  },
});

const install = defineCommand({
  meta: { name: "install", description: "Install packages from the package index, all or none" },
  args: {
    "packages…": { type: "positional", required: true, description: "As in pandas or 'pandas>=2,<3'" },
    environment,
    language,
    ...commonArguments,
  },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    const input = { packages: args._, environment: args.environment, language: args.language };
    const context = { json: args.json, signal: interruption(), onProgress: talk };
    return await printOperation(coordinator, "install_dependencies", input, context);
  },
});

const packages = defineCommand({
  meta: { name: "packages", description: "The packages of an environment: name, version, place" },
  args: { name, language, ...commonArguments },
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    const input = { environment: args.name, language: args.language };
    return await printOperation(coordinator, "check_installed_packages", input, { json: args.json });
  },
});

const set = defineCommand({
  meta: { name: "set", description: "Set variables that guests see; an empty value removes one" },
  args: {
    "variables…": { type: "positional", required: true, description: "NAME=value" },
    environment,
    ...commonArguments,
  },
  async run({ args }) {
    const variables = Object.fromEntries(args._.map(readVariable));
    await using coordinator = await openCoordinator(args);
    const input = { variables, environment: args.environment };
    return await printOperation(coordinator, "set_runtime_env", input, { json: args.json });
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
  async run({ args }) {
    await using coordinator = await openCoordinator(args);
    return await printOperation(coordinator, "remove_environment", { name: args.name }, { json: args.json });
  },
});

export const env = defineCommand({
  meta: { name: "env", description: "Environments: packages and variables of guests" },
  args: commonArguments,
  subCommands: { list, create, show, install, packages, set, rm },
});
