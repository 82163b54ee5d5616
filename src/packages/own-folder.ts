import { existsSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { CoordinatorError } from "../errors.ts";

/**
 * Refuses a path that is, or leads, into a folder of the coordinator: guests and installers write there, and what they wrote
 * is not to become what others stand on.
 */
export function refuseOwnFolders(path: string, own: readonly string[]): void {
  const real = realOf(path);
  if (!own.some((folder) => [path, real].some((one) => isIn(one, folder) || isIn(one, realOf(folder))))) return;
  throw new CoordinatorError(
    "environment_unusable",
    `${path} is in a folder of the coordinator, which code can write to`,
    {
      hint: "Nothing was changed. Choose one outside the data folder, the workspace and the skills.",
    },
  );
}

function realOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
