import type { Dirent } from "node:fs";
import { constants } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { normalise } from "./requirement.ts";

/** A package that is there, wherever it came from. */
export interface InstalledPackage {
  readonly name: string;
  readonly version: string;
  /** The folder that it is in. */
  readonly location: string;
}

const metadataBytes = 64 * 1024;

/** The packages in folders, by their metadata: files are read, no code of theirs runs. The first of a name counts. */
export async function installedPackages(folders: readonly string[]): Promise<InstalledPackage[]> {
  const found = new Map<string, InstalledPackage>();
  for (const location of folders) {
    const entries = await readdir(location, { withFileTypes: true }).catch((): Dirent[] => []);
    const metadata = entries.filter((entry) => entry.isDirectory() && /\.(dist|egg)-info$/.test(entry.name));
    for (const entry of metadata) {
      const { name, version } = await readNames(join(location, entry.name), entry.name);
      const key = normalise(name);
      if (!found.has(key)) found.set(key, { name, version, location });
    }
  }
  return [...found.values()].sort((left, right) => (normalise(left.name) < normalise(right.name) ? -1 : 1));
}

/** As the package's author writes its name, where that can be read; the folder's name tells both too. */
async function readNames(folder: string, folderName: string): Promise<{ name: string; version: string }> {
  const stem = folderName.replace(/\.(?:dist|egg)-info$/, "");
  const dash = stem.indexOf("-", 1);
  const [byName, byVersion] =
    dash < 0 ? [folderName, ""] : [stem.slice(0, dash), stem.slice(dash + 1).replace(/-py[\d.]+$/, "")];
  const text = await readStart(join(folder, folderName.endsWith(".dist-info") ? "METADATA" : "PKG-INFO"));
  const header = (name: string) => new RegExp(`^${name}: *([\\w.+!-]{1,200})\\s*$`, "m").exec(text)?.[1];
  const name = header("Name");
  // A file that speaks of another package is not believed.
  const isTrue = name !== undefined && normalise(name) === normalise(byName);
  return { name: isTrue ? name : byName, version: (isTrue && header("Version")) || byVersion };
}

/** The beginning of a file, up to the first empty line; nothing when it is a link or no file: packages made these folders. */
async function readStart(path: string): Promise<string> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      if (!(await file.stat()).isFile()) return "";
      const { buffer, bytesRead } = await file.read(Buffer.alloc(metadataBytes), 0, metadataBytes, 0);
      return buffer.toString("utf8", 0, bytesRead).split(/\r?\n\r?\n/)[0] ?? "";
    } finally {
      await file.close();
    }
  } catch {
    return "";
  }
}
