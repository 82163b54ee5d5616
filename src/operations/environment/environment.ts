import { relative, resolve } from "node:path";
import * as z from "zod";
import { CoordinatorError } from "../../errors.ts";
import type { Environment } from "../../packages/environment-folders.ts";
import type { EnvironmentSettings } from "../../packages/environments.ts";
import type { InstalledPackage } from "../../packages/python/installed.ts";
import { normalise } from "../../packages/python/requirement.ts";
import { hintOf } from "../../packages/variables.ts";
import type { Language } from "../../sandbox/engine.ts";
import { fewKeys } from "../inputs.ts";
import { type AnyOperation, defineOperation, guestLanguage, type OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";
import { askForFiles, askForPlace, isPlaceOfModels } from "./consent-to-paths.ts";

/** Language environments and the packages in them. */
export function environmentOperations(services: Services): readonly AnyOperation[] {
  const ofEnvironments = [configureEnvironment, getEnvironmentConfig, listEnvironments, removeEnvironment];
  const ofTheirContent = [installDependencies, checkInstalledPackages, setRuntimeEnv, getRuntimeEnv];
  return [...ofEnvironments, ...ofTheirContent, guestPackages, guestInstall].map((make) => make(services));
}

const environment = z.string().optional().describe("its name; the default one when absent");
/** The predecessors' word for it, in the tools that have it from them. */
const name = z.string().optional().describe("the same as environment");

/** The one that is meant, by whichever of the two names. */
function meantEnvironment(given: { readonly environment?: string | undefined; readonly name?: string | undefined }) {
  const { environment, name } = given;
  if (environment === undefined || name === undefined || name === environment) return environment ?? name;
  throw new CoordinatorError("input_invalid", "environment and name are the same, and say different things", {
    hint: "Give one of them.",
  });
}
const language = z.enum(["python", "typescript"]).default("python");
const packageNames = z.array(z.string()).min(1);
/** More names than these are too long for the command line of an installer. */
const mostInstalled = 200;
const mostChecked = 1000;
const installed = z.object({ name: z.string(), version: z.string() });

/** An environment as everybody may see it: no value of a variable is in it. */
function summary({ config }: Services, { name, type, path, python, layers, variables }: Environment) {
  return {
    name,
    type,
    ...(path !== undefined && { path }),
    ...(python && { python: python.version }),
    packages: (["python", "typescript"] as const).filter((each) => layers[each] !== undefined),
    variables: Object.keys(variables),
    is_default: name === config.packages.environment,
  };
}
type Summary = ReturnType<typeof summary>;

function showSummary({ name, type, path, python, packages, variables, is_default }: Summary): string {
  const facts = [
    type + (path === undefined ? "" : ` on ${path}`),
    ...(python === undefined ? [] : [`Python ${python}`]),
    packages.length > 0 ? `packages for ${packages.join(", ")}` : "no packages",
    ...(variables.length > 0 ? [`variables ${variables.join(", ")}`] : []),
    ...(is_default ? ["used when none is named"] : []),
  ];
  return `${name}: ${facts.join("; ")}`;
}

const configureInput = () =>
  z.strictObject({
    type: z.enum(["venv", "uv", "venv-uv", "conda", "micromamba"]).default("venv"),
    environment,
    name,
    venv_path: z.string().min(1).optional().describe("an existing virtual environment"),
    uv_venv_path: z.string().min(1).optional(),
    conda_name: z.string().min(1).optional().describe("an existing conda environment, by name or path"),
  });

function configureEnvironment(services: Services) {
  const { environments, config } = services;
  return defineOperation({
    name: "configure_environment",
    description:
      "Make a named environment for packages, or change what it is based on: a Python of its own, or the user's venv or conda environment",
    toolset: "environment",
    hints: { idempotentHint: true, openWorldHint: false },
    input: configureInput,
    async run({ environment, name: same, ...wanted }, context) {
      const name = meantEnvironment({ environment, name: same }) ?? config.packages.environment;
      const settings = settingsOf(wanted);
      const isModels = isPlaceOfModels(settings, context);
      if (isModels) await askForPlace(services, name, settings, context);
      const { previous, current } = await environments.configure(name, { ...settings, isModels });
      return { ...(previous && { previous: summary(services, previous) }), current: summary(services, current) };
    },
    present: ({ current }) => ({ text: showSummary(current) }),
  });
}

function settingsOf(
  wanted: Omit<z.output<ReturnType<typeof configureInput>>, "name" | "environment">,
): EnvironmentSettings {
  const { type, venv_path, uv_venv_path, conda_name } = wanted;
  const isConda = type === "conda" || type === "micromamba";
  const path = type === "venv" ? venv_path : isConda ? undefined : uv_venv_path;
  const surplus = Object.entries({ venv_path, uv_venv_path, conda_name }).find(
    ([, value]) => value !== undefined && value !== path && !(isConda && value === conda_name),
  );
  if (surplus) throw new CoordinatorError("input_invalid", `${surplus[0]} does not go with the type "${type}"`);
  if (isConda && conda_name === undefined) {
    throw new CoordinatorError("input_invalid", `The type "${type}" needs conda_name, an environment that exists`, {
      hint: `Conda packages run programs while they are linked, so it is not made here: ${type} create -n NAME python.`,
    });
  }
  return {
    type: type === "venv-uv" ? "uv" : type,
    path: path === undefined ? undefined : resolve(path),
    condaName: conda_name,
  };
}

function getEnvironmentConfig(services: Services) {
  const { environments, config } = services;
  return defineOperation({
    name: "get_environment_config",
    description: "What an environment is based on, and what is in it",
    toolset: "environment",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ environment, name }),
    run: async (given) =>
      summary(services, await environments.get(meantEnvironment(given) ?? config.packages.environment)),
    present: (shown) => ({ text: showSummary(shown) }),
  });
}

function listEnvironments(services: Services) {
  return defineOperation({
    name: "list_environments",
    description: "The environments that runs can be in",
    toolset: "environment",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({}),
    run: async () => (await services.environments.list()).map((each) => summary(services, each)),
    present: (environments) => ({
      data: { environments },
      text: environments.map(showSummary).join("\n") || "No environments. Installing a package makes one.",
    }),
  });
}

function removeEnvironment({ environments }: Services) {
  return defineOperation({
    name: "remove_environment",
    description:
      "Remove an environment with its packages and variables; the user's environment that it is based on stays",
    toolset: "environment",
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ environment: z.string().optional().describe("its name"), name }),
    async run(given) {
      const removed = meantEnvironment(given);
      if (removed === undefined)
        throw new CoordinatorError("input_invalid", "Nothing was removed: environment, the name of one, is missing");
      await environments.remove(removed);
      return { removed };
    },
    present: ({ removed }) => ({ text: `Removed the environment "${removed}"` }),
  });
}

function installDependencies(services: Services) {
  const { config } = services;
  return defineOperation({
    name: "install_dependencies",
    description: "Install packages from the package index, all or none, for runs in an environment",
    toolset: "environment",
    hints: { destructiveHint: false, idempotentHint: true },
    input: () =>
      z.strictObject({
        packages: packageNames.max(mostInstalled).describe("as in pandas>=2"),
        environment,
        language,
      }),
    async run({ packages, environment: name = config.packages.environment, language }, context) {
      const done = await install(services, { packages, environment: name, language }, context);
      return { environment: name, language, env_type: done.type, installed_packages: named(done.installed) };
    },
    present({ environment, installed_packages }) {
      const list = installed_packages.map(({ name, version }) => `${name} ${version}`).join(", ");
      return {
        text: list === "" ? `Everything was in "${environment}" already` : `Installed into "${environment}": ${list}`,
      };
    },
  });
}

function checkInstalledPackages(services: Services) {
  const { environments, config } = services;
  return defineOperation({
    name: "check_installed_packages",
    description: "Which packages an environment has, with version and location; all when none is named",
    toolset: "environment",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ packages: packageNames.max(mostChecked).optional(), environment, language }),
    async run({ packages, environment: name = config.packages.environment, language }) {
      const found = await environments.packages(name, language);
      const { type } = await environments.get(name);
      const root = resolve(config.home, "environments");
      const details = detailsOf(found, packages, language, root);
      const missing = Object.entries(details).flatMap(([each, { installed }]) => (installed ? [] : [each]));
      return {
        environment: name,
        env_type: type,
        all_installed: missing.length === 0,
        not_installed: missing,
        package_details: details,
      };
    },
    present({ environment, package_details }) {
      const lines = Object.entries(package_details).map(([name, { version, location }]) =>
        version === undefined ? `${name}: not installed` : `${name} ${version} (${location})`,
      );
      return { text: lines.join("\n") || `"${environment}" has no packages` };
    },
  });
}

type Detail = { installed: boolean; version?: string; location?: string };

function detailsOf(
  found: readonly InstalledPackage[],
  wanted: readonly string[] | undefined,
  language: Language,
  root: string,
): Record<string, Detail> {
  const keyOf = (name: string) => (language === "python" ? normalise(name) : name);
  const known = new Map(found.map((each) => [keyOf(each.name), each]));
  const names = wanted ?? found.map(({ name }) => name);
  return Object.fromEntries(
    names.map((name) => {
      const one = known.get(keyOf(name));
      if (!one) return [name, { installed: false }];
      // Ours by their place among environments; what is the user's own by its path.
      const place = relative(root, one.location);
      const location = place.startsWith("..") ? one.location : place;
      return [name, { installed: true, version: one.version, location }];
    }),
  );
}

function setRuntimeEnv({ environments, config }: Services) {
  return defineOperation({
    name: "set_runtime_env",
    description:
      "Set variables that runs in an environment find in os.environ and process.env; an empty value removes one",
    toolset: "environment",
    hints: { idempotentHint: true, openWorldHint: false },
    input: () => z.strictObject({ variables: fewKeys(200, z.record(z.string(), z.string())), environment }),
    async run({ variables, environment: name = config.packages.environment }) {
      return shownVariables(await environments.setVariables(name, variables));
    },
    present: (shown) => ({ text: showVariables(shown) }),
  });
}

function getRuntimeEnv({ environments, config }: Services) {
  return defineOperation({
    name: "get_runtime_env",
    description: "The variables of an environment; of each value only enough to recognise it",
    toolset: "environment",
    readOnly: true,
    hints: { openWorldHint: false },
    input: () => z.strictObject({ environment }),
    run: async ({ environment: name = config.packages.environment }) => shownVariables(await environments.get(name)),
    present: (shown) => ({ text: showVariables(shown) }),
  });
}

function shownVariables({ name, variables }: Environment) {
  const shown = Object.entries(variables).map(([each, value]) => [each, hintOf(value)] as const);
  return { environment: name, variables: Object.fromEntries(shown) };
}

function showVariables({ environment, variables }: ReturnType<typeof shownVariables>): string {
  const lines = Object.entries(variables).map(([name, hint]) => `${name}=${hint}`);
  return lines.join("\n") || `"${environment}" has no variables`;
}

/** What a guest may know: the packages of the environment that it runs in. */
function guestPackages({ environments }: Services) {
  return defineOperation({
    name: "list_packages",
    description: "The packages of this run's environment",
    guest: "packages.list",
    readOnly: true,
    input: () => z.strictObject({}),
    output: () => z.array(installed),
    run: async (_input, context) => {
      const { environment } = context;
      if (environment === undefined) return [];
      return named(await environments.packages(environment, guestLanguage(context) ?? "python"));
    },
  });
}

/**
 * `install_dependencies` for guests: into their own environment, in their own language, and only where the user lets runs
 * install what they lack. The next run has it.
 */
function guestInstall(services: Services) {
  const { config } = services;
  return defineOperation({
    name: "install_packages",
    description: "Install packages for later runs, if coordinator.packages.autoInstall is on",
    guest: "packages.install",
    positional: ["packages"],
    example: { packages: ["pandas"] },
    input: () => z.strictObject({ packages: packageNames.max(mostInstalled) }),
    output: () => z.array(installed),
    async run({ packages }, context) {
      const { environment = config.packages.environment } = context;
      const language = guestLanguage(context) ?? "python";
      if (config.packages.autoInstall)
        return named((await install(services, { packages, environment, language }, context)).installed);
      throw new CoordinatorError("package_refused", "Guests may not install packages", {
        hint: "The setting coordinator.packages.autoInstall lets them; install_dependencies and `env install` need no setting.",
      });
    },
  });
}

interface Installing {
  readonly packages: readonly string[];
  readonly environment: string;
  readonly language: Language;
}

async function install(services: Services, wanted: Installing, context: OperationContext) {
  const { packages, environment, language } = wanted;
  if (language === "python") await askForFiles(services, wanted, context);
  return services.installPackages(environment, language, packages, context);
}

function named(packages: readonly InstalledPackage[]): z.output<typeof installed>[] {
  return packages.map(({ name, version }) => ({ name, version }));
}
