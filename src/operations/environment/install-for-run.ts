import { CoordinatorError } from "../../errors.ts";
import type { InstallMissing } from "../../runtime/runs/self-heal.ts";
import type { InstallPackages } from "./install-packages.ts";

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
