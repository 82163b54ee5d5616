import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { FindProgram } from "../../sandbox/engine.ts";
import { replaceFile } from "../../system/replace-file.ts";
import { type Bundled, createBundle, esbuildVersion } from "./bundle.ts";
import { readLayer } from "./layer.ts";

/** Bundles of the packages in a layer, each made once and kept beside them. */
export interface Bundles {
  /** The module that a specifier means; undefined when its package was not asked for in this layer. */
  get(layer: string, specifier: string): Promise<Bundled | undefined>;
}

/** How much of the last bundles is kept in memory, for the runs that import them again. */
const rememberedCharacters = 16_000_000;

export function createBundles(findProgram: FindProgram): Bundles {
  const bundle = createBundle(findProgram);
  const remembered = new Map<string, string>();
  const underWay = new Map<string, Promise<Bundled>>();

  const remember = (file: string, code: string): void => {
    remembered.delete(file);
    remembered.set(file, code);
    let size = [...remembered.values()].reduce((sum, { length }) => sum + length, 0);
    for (const [oldest, { length }] of remembered) {
      if (size <= rememberedCharacters) break;
      size -= length;
      remembered.delete(oldest);
    }
  };
  const make = async (layer: string, specifier: string, file: string): Promise<Bundled> => {
    const kept = await readFile(file, "utf8").catch(() => undefined);
    if (kept !== undefined) return { code: kept };
    const bundled = await bundle(specifier, join(layer, "node_modules"));
    if ("code" in bundled) await keep(layer, file, bundled.code);
    return bundled;
  };
  const makeOnce = (layer: string, specifier: string, file: string): Promise<Bundled> => {
    const making = underWay.get(file) ?? make(layer, specifier, file).finally(() => underWay.delete(file));
    underWay.set(file, making);
    return making;
  };
  return {
    async get(layer, specifier) {
      const name = packageOf(specifier);
      const version = name === undefined ? undefined : (await readLayer(layer)).get(name);
      if (version === undefined) return undefined;
      const key = createHash("sha256")
        .update(JSON.stringify([specifier, version, esbuildVersion()]))
        .digest("hex");
      const file = join(layer, folder, `${key.slice(0, 32)}.cjs`);
      const code = remembered.get(file);
      const bundled = code === undefined ? await makeOnce(layer, specifier, file) : { code };
      if ("code" in bundled) remember(file, bundled.code);
      return bundled;
    },
  };
}

const folder = "bundles";

async function keep(layer: string, file: string, code: string): Promise<void> {
  await mkdir(join(layer, folder), { recursive: true, mode: 0o700 });
  await replaceFile(file, code, { mode: 0o600 });
}

/** The package of an import: `lodash` of `lodash/fp`; undefined for what names none, or leads out of it. */
function packageOf(specifier: string): string | undefined {
  const [, name, rest = ""] = /^((?:@[a-z0-9._-]+\/)?[a-z0-9][a-z0-9._-]*)((?:\/[\w.@+~-]+)*)$/.exec(specifier) ?? [];
  return rest.split("/").some((part) => part === "." || part === "..") ? undefined : name;
}
