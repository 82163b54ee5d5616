import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { isAbsent } from "../../errors.ts";

export interface Size {
  readonly bytes: number;
  readonly files: number;
}

/** Folders of runs, oldest first: the ids of runs sort by their start. */
export function runsIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

/** The files below a folder, by name, folders as a part of it. */
export function filesBelow(folder: string, prefix = ""): string[] {
  return entriesOf(folder)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${prefix}${entry.name}`;
      return entry.isDirectory() ? filesBelow(join(folder, entry.name), `${name}/`) : [name];
    });
}

export function sizeOf(folder: string): { bytes: number; files: number } {
  const sum = { bytes: 0, files: 0 };
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const { bytes, files } = entry.isDirectory() ? sizeOf(path) : { bytes: statsOf(path)?.size ?? 0, files: 1 };
    sum.bytes += bytes;
    sum.files += files;
  }
  return sum;
}

/** Undefined where nothing is: also below a file that stands where a folder would have to be. */
export function statsOf(path: string) {
  try {
    return statSync(path);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // nothing has been saved, or another process has just removed it
  }
}
