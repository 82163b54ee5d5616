import { lstatSync } from "node:fs";
import { join } from "node:path";
import { createThreadYield } from "../system/thread-yield.ts";
import type { ClosedFiles } from "./closed-files.ts";

/** The files and folders, among those on the way to these files, that are closed to reading. */
export async function findClosed(
  root: string,
  closed: ClosedFiles,
  paths: readonly string[],
): Promise<readonly string[]> {
  const yieldThread = createThreadYield();
  const closedPart = createClosedParts(closed);
  const found = new Set<string>();
  for (const path of paths) {
    await yieldThread();
    const part = closedPart(path);
    if (part !== undefined) {
      found.add(part);
      continue;
    }
    const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
    if (stat && stat.nlink > 1 && closed.byIdentity(stat, "read") !== undefined) found.add(path);
  }
  return [...found];
}

/** What of a path is closed to reading by its name: itself, or the first such folder on the way. A folder is judged once. */
function createClosedParts(closed: ClosedFiles): (path: string) => string | undefined {
  const known = new Map<string, (name: string) => string | undefined>();
  const partOf = (path: string): string | undefined => {
    const end = path.lastIndexOf("/");
    return judge(path.slice(0, Math.max(0, end)))(path.slice(end + 1));
  };
  const judge = (folder: string): ((name: string) => string | undefined) => {
    const before = known.get(folder);
    if (before) return before;
    const above = folder === "" ? undefined : partOf(folder);
    const problem = closed.within(folder === "" ? [] : folder.split("/"));
    const within = (name: string) => {
      if (above !== undefined || problem(name, "read") === undefined) return above;
      return folder === "" ? name : `${folder}/${name}`;
    };
    known.set(folder, within);
    return within;
  };
  return partOf;
}
