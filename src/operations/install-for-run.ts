import { CoordinatorError } from "../errors.ts";
import type { Environments } from "../packages/environments.ts";
import type { InstallPackages } from "../runtime/self-heal.ts";

/** Installs what a run lacks into its environment, or into the usual one. */
export function installForRun(environments: Environments, usual: string): InstallPackages {
  return async ({ language, engine, environment = usual, packages, signal, onProgress }) => {
    // An environment with packages would keep this engine from every later run.
    if (engine === "pyodide") {
      throw new CoordinatorError("environment_unusable", 'The engine "pyodide" cannot have packages', {
        hint: 'Use the engine "cpython" or "container".',
      });
    }
    const { installed } = await environments.install(environment, language, packages, { signal, onProgress });
    return installed.map(({ name, version }) => `${name} ${version}`);
  };
}
