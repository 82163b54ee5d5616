import { CoordinatorError } from "../../errors.ts";
import type { Bundles } from "./bundles.ts";
import { readLayer } from "./layer.ts";

/** A package as guests of TypeScript import it. */
interface PackageModule {
  readonly id: string;
  readonly language: "typescript";
  readonly code: string;
  readonly format: "commonjs";
}

/** The packages of an environment, as a place where imports are found. */
export interface NpmModules {
  find(specifier: string): Promise<PackageModule | undefined>;
  /** As of the last time that something was looked for. */
  names(): Promise<readonly string[]>;
}

/** `layer` is asked each time: another installation may have made a new one. */
export function createNpmModules(bundles: Bundles, layer: () => Promise<string | undefined>): NpmModules {
  let names: readonly string[] = [];
  return {
    async find(specifier) {
      const folder = await layer();
      if (folder === undefined) return undefined;
      names = [...(await readLayer(folder)).keys()];
      const bundled = await bundles.get(folder, specifier);
      if (!bundled) return undefined;
      if ("code" in bundled) return { id: specifier, language: "typescript", code: bundled.code, format: "commonjs" };
      throw new CoordinatorError("input_invalid", `Cannot import "${specifier}": ${bundled.problem}`, {
        hint: "Nothing has run. The package is installed; import another part of it, or use another package.",
      });
    },
    names: async () => names,
  };
}
