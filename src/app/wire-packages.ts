import { join } from "node:path";
import type { Config } from "../config/load.ts";
import type { Door } from "../door/door.ts";
import { createInstallPackages, installForRun } from "../operations/environment/install-packages.ts";
import { createEnvironments } from "../packages/environments.ts";
import { createBundles } from "../packages/npm/bundles.ts";
import { createNpmInstaller } from "../packages/npm/installer.ts";
import { createNpmModules } from "../packages/npm/modules.ts";
import { createPythonInstaller } from "../packages/python/installer.ts";
import { normalise } from "../packages/python/requirement.ts";
import type { RunRequest } from "../runtime/execute-request.ts";
import type { Language } from "../sandbox/engine.ts";
import { findProgram } from "./find-program.ts";

export type WiredPackages = ReturnType<typeof wirePackages>;

/** Environments, and how packages come into them. */
export function wirePackages({ home, packages: settings, workspace, skills }: Config, door: Door) {
  const bundles = createBundles(findProgram);
  const environments = createEnvironments({
    folder: join(home, "environments"),
    settings,
    ownFolders: [home, workspace.root, skills.folder],
    installers: {
      python: createPythonInstaller({ settings, findProgram }),
      typescript: createNpmInstaller({ settings, findProgram, bundles }),
    },
  });
  const installPackages = createInstallPackages(door, environments);
  const usual = settings.environment;
  return {
    environments,
    installPackages,
    installMissing: settings.autoInstall ? installForRun(installPackages, usual) : undefined,
    /** The names of the environments that have a package. */
    async environmentsWith(language: Language, install: string): Promise<readonly string[]> {
      const all = await environments.list();
      const having = all.map(async ({ name }) => {
        const packages = await environments.packages(name, language).catch(() => []);
        return packages.some((one) => normalise(one.name) === normalise(install)) ? [name] : [];
      });
      return (await Promise.all(having)).flat();
    },
    /** The packages of its environment, for a guest of TypeScript; Python has its own way to them. */
    modulesFor({ language, environment = usual }: RunRequest) {
      const layer = async () => (await environments.find(environment))?.layers.typescript;
      return language === "python" ? [] : [createNpmModules(bundles, layer)];
    },
  };
}
