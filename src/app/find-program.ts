import { existsSync } from "node:fs";
import { join } from "node:path";
import { commandFolders, pathFolders } from "../config/command-folders.ts";

/** Programs of the system are where the system says; an interpreter may be where a version manager has put it. */
export function findProgram(name: string): string | undefined {
  return (name === "python3" ? commandFolders() : pathFolders())
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}
