import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });
const lock = z.object({ packages: z.record(z.string(), z.object({ version: z.string().optional() })).default({}) });

/**
 * What was asked for in a layer, with exact versions: only that can be imported, not what came with it. Read from the layer's
 * own package.json, which npm wrote; nothing of a package is looked at.
 */
export async function readLayer(layer: string): Promise<ReadonlyMap<string, string>> {
  const { dependencies } = manifest.parse(JSON.parse(await readFile(join(layer, "package.json"), "utf8")));
  return new Map(Object.entries(dependencies).sort());
}

/** All packages of a layer, as its lock tells them: by name, version, and the folder that they are in. */
export async function listLayer(layer: string): Promise<{ name: string; version: string; location: string }[]> {
  const { packages } = lock.parse(JSON.parse(await readFile(join(layer, "package-lock.json"), "utf8")));
  return Object.entries(packages)
    .flatMap(([place, { version }]) => {
      const [, holder = "", name] = /^(.*node_modules)\/((?:@[^/]+\/)?[^/]+)$/.exec(place) ?? [];
      return name === undefined || version === undefined ? [] : [{ name, version, location: join(layer, holder) }];
    })
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
