import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";

const manifest = z.object({ dependencies: z.record(z.string(), z.string()).default({}) });

/**
 * What was asked for in a layer, with exact versions: only that can be imported, not what came with it. Read from the layer's
 * own package.json, which npm wrote; nothing of a package is looked at.
 */
export async function readLayer(layer: string): Promise<ReadonlyMap<string, string>> {
  const { dependencies } = manifest.parse(JSON.parse(await readFile(join(layer, "package.json"), "utf8")));
  return new Map(Object.entries(dependencies).sort());
}
