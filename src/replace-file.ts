import { randomUUID } from "node:crypto";
import { rename, writeFile } from "node:fs/promises";

/** Puts a file in place as a whole: whoever reads finds the old one or the new one. `flush`: it outlives a power cut. */
export async function replaceFile(
  path: string,
  content: string | Uint8Array,
  options: { readonly mode?: number; readonly flush?: boolean } = {},
): Promise<void> {
  const fresh = `${path}.${randomUUID()}`;
  await writeFile(fresh, content, options);
  await rename(fresh, path);
}
