import { existsSync, realpathSync } from "node:fs";
import { isAbsolute } from "node:path";
import { CoordinatorError } from "../../errors.ts";
import { checkEnvironmentName } from "../../packages/environment-name.ts";
import { type EnvironmentSettings, pathsIn } from "../../packages/environments.ts";
import { shellQuoted, unshowable } from "../../servers/describe-entry.ts";
import { askConsent } from "../consent.ts";
import type { OperationContext } from "../operation.ts";
import type { Services } from "../services.ts";

/** A command or a program of the user's has no client behind it, and is not a run. */
function isUsers({ caller, run }: OperationContext): boolean {
  return caller === undefined && run === undefined;
}

/** Whether a model, or code of one, has given a path. Conda finds environments by their names among the user's own. */
export function isPlaceOfModels({ path, condaName }: EnvironmentSettings, context: OperationContext): boolean {
  return !isUsers(context) && (path !== undefined || (condaName !== undefined && isAbsolute(condaName)));
}

/** Paths are the user's to give away: a model gets one only by consent. */
export async function askForPlace(
  { environments, servers }: Services,
  name: string,
  settings: EnvironmentSettings,
  context: OperationContext,
): Promise<void> {
  const { type, condaName } = settings;
  checkEnvironmentName(name);
  const path = await environments.placeOf(settings);
  if (path === undefined) return;
  const leads = existsSync(path) ? realpathSync(path) : path;
  const option = condaName === undefined ? `--venv=${path}` : `--conda=${condaName}`;
  await askShown(
    {
      ask: `Let code in the environment ${JSON.stringify(name)} run on the Python in this folder?`,
      lines: [`folder: ${path}`, ...(leads === path ? [] : [`which points to: ${leads}`])],
      effect: "It runs in a sandbox. Code sees its packages.",
      command: ["mcp-coordinator", "env", "create", name, `--type=${type}`, option, `--config=${servers.file}`],
    },
    context,
  );
}

/** The same for archives on this machine, which may be named with `coordinator.packages.sources` "any". */
export async function askForFiles(
  { config, servers }: Services,
  { packages, environment: name }: { readonly packages: readonly string[]; readonly environment: string },
  context: OperationContext,
): Promise<void> {
  const paths = pathsIn(packages, config.packages);
  if (paths.length === 0 || isUsers(context)) return;
  checkEnvironmentName(name);
  await askShown(
    {
      ask: `Install these files of yours into the environment ${JSON.stringify(name)}?`,
      lines: paths.map((path) => `file: ${path}`),
      effect: "Code that builds them runs in a sandbox.",
      command: ["mcp-coordinator", "env", "install", ...packages, `--environment=${name}`, `--config=${servers.file}`],
    },
    context,
  );
}

async function askShown(
  { ask, lines, effect, command }: Record<"ask" | "effect", string> & Record<"lines" | "command", readonly string[]>,
  context: OperationContext,
): Promise<void> {
  const problem = unshowable(lines);
  if (problem !== undefined) throw new CoordinatorError("input_invalid", `Cannot ask the user about it: ${problem}`);
  const message = [ask, ...lines.map((line) => `  ${line}`), effect].join("\n");
  await askConsent({ message, command: command.map(shellQuoted).join(" ") }, context);
}
