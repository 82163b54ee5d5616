import type { Actor } from "../../actor.ts";
import type { Door } from "../../door/door.ts";
import { CoordinatorError } from "../../errors.ts";
import type { Environments } from "../../packages/environments.ts";
import type { InstallMissing } from "../../runtime/runs/self-heal.ts";

/** Installs packages, all or none, for runs in an environment: an act, which rules can stop. */
export type InstallPackages = (
  environment: string,
  language: Parameters<Environments["install"]>[1],
  packages: readonly string[],
  actor: Actor,
) => ReturnType<Environments["install"]>;

export function createInstallPackages(door: Pick<Door, "own">, environments: Environments): InstallPackages {
  return (environment, language, packages, actor) => {
    const { signal, onProgress } = actor;
    const options = { signal, onProgress: (line: string) => onProgress?.(line) };
    return door.own("packages.install", { environment, language, packages }, actor, () =>
      environments.install(environment, language, packages, options),
    );
  };
}

/** Installs what a run lacks into its environment, or into the usual one. */
export function installForRun(install: InstallPackages, usual: string): InstallMissing {
  return async ({ language, engine, environment = usual, packages, actor }) => {
    // An environment with packages would keep this engine from every later run.
    if (!engine.takesPackages) {
      throw new CoordinatorError("environment_unusable", `The engine "${engine.name}" cannot have packages`, {
        hint: 'Use the engine "cpython" or "container".',
      });
    }
    const { installed } = await install(environment, language, packages, actor);
    return installed.map(({ name, version }) => `${name} ${version}`);
  };
}
