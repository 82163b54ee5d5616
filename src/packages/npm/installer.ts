import { cp, lstat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PackageSettings } from "../../config/schema.ts";
import { CoordinatorError } from "../../errors.ts";
import type { FindProgram } from "../../sandbox/engine.ts";
import { installFailed } from "../install-failed.ts";
import type { Installer, InstallOptions, Layers } from "../installer.ts";
import type { Bundles } from "./bundles.ts";
import { listLayer, readLayer } from "./layer.ts";
import { createNpm } from "./npm.ts";
import { readNpmRequirement } from "./requirement.ts";

export interface NpmInstallerOptions {
  readonly findProgram: FindProgram;
  readonly bundles: Bundles;
  readonly settings: PackageSettings;
}

/** Packages of npm for TypeScript guests: installed and bundled in sandboxes, so that a guest needs no files and no network. */
export function createNpmInstaller({ findProgram, bundles, settings }: NpmInstallerOptions): Installer {
  const npm = createNpm(findProgram, settings);
  return {
    read: readNpmRequirement,
    prepare: async (environment) => environment,
    async install(layers, requirements, _environment, options) {
      await startLayer(layers);
      const end = await npm.install(layers.fresh, requirements, options);
      if (end.exitCode !== 0) throw installFailed(requirements, end, settings);
      await bundleAll(layers.fresh, bundles, options);
    },
    list: async (layer) => (layer === undefined ? [] : listLayer(layer)),
  };
}

async function startLayer({ fresh, previous }: Layers): Promise<void> {
  // Links stay what they are: what they lead to is not ours to copy.
  if (previous !== undefined) await cp(previous, fresh, { recursive: true, verbatimSymlinks: true });
  else await writeFile(join(fresh, "package.json"), '{ "private": true }\n', { mode: 0o644 });
}

/** Told at once: what cannot become a bundle can never be imported. */
async function bundleAll(layer: string, bundles: Bundles, { signal, onProgress }: InstallOptions): Promise<void> {
  for (const name of (await readLayer(layer)).keys()) {
    signal?.throwIfAborted();
    onProgress?.(`bundling ${name}`);
    if (await lstat(join(layer, "node_modules", name, "binding.gyp")).catch(() => undefined))
      throw unusable(name, "It is compiled when it is installed (a native addon), which the sandboxes do not load");
    const bundled = await bundles.get(layer, name);
    // Some packages have parts to import, and nothing under their own name.
    if (!bundled || "code" in bundled || bundled.absent) continue;
    throw unusable(name, bundled.problem);
  }
}

function unusable(name: string, problem: string): CoordinatorError {
  return new CoordinatorError("install_failed", `Could not install ${name}: ${problem}`, {
    hint: "The environment is as it was.",
  });
}
