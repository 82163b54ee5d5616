import { matchesGlob } from "../catalog/glob.ts";
import type { Folder } from "./folder.ts";
import { enterIfThere } from "./usage.ts";

export interface ListOptions {
  /** Where to begin; the whole workspace when absent. */
  readonly folder?: string | undefined;
  /** Which files: `*` and `?` over the path from the workspace. */
  readonly pattern?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Listing {
  readonly entries: readonly Entry[];
  /** How many there are; more than the entries when the list was cut. */
  readonly total: number;
}

export interface Entry {
  readonly path: string;
  readonly type: "file" | "folder";
  readonly bytes: number;
  /** When it was last changed, as an ISO date. */
  readonly modified: string;
}

const most = 1000;
/** A tree beyond this is not counted to its end. */
const mostSeen = 20_000;

/**
 * Files and folders, those near the top first. Folders that tools fill (hidden ones, node_modules, __pycache__) are
 * named and not gone into unless they are asked for. What is neither file nor folder is left out.
 */
export function listFolder(start: Folder, { pattern, limit = most }: ListOptions): Listing {
  const found: Entry[] = [];
  let seen = 0;
  let level: string[][] = [[]];
  while (level.length > 0 && seen < mostSeen) {
    const next: string[][] = [];
    for (const parts of level) {
      visit(start, parts, (folder) => {
        for (const entry of folder.entries()) {
          if (++seen > mostSeen) return;
          if (entry.isDirectory() && !isToolFolder(entry.name)) next.push([...parts, entry.name]);
          const listed = describe(folder, entry.name);
          if (listed && (pattern === undefined || fits(listed, pattern))) found.push(listed);
        }
      });
    }
    level = next;
  }
  return { entries: found.slice(0, limit), total: found.length };
}

function visit(start: Folder, parts: readonly string[], see: (folder: Folder) => void): void {
  const [name, ...rest] = parts;
  if (name === undefined) return see(start);
  using below = enterIfThere(start, name);
  if (below) visit(below, rest, see);
}

function describe(folder: Folder, name: string): Entry | undefined {
  const found = folder.look(name);
  const type = found?.isFile() ? "file" : found?.isDirectory() ? "folder" : undefined;
  if (!found || !type) return undefined;
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  return { path, type, bytes: type === "file" ? found.size : 0, modified: found.mtime.toISOString() };
}

/** A pattern without a slash is about the name alone. */
function fits({ path, type }: Entry, pattern: string): boolean {
  const subject = pattern.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1);
  return type === "file" && matchesGlob(subject, pattern);
}

function isToolFolder(name: string): boolean {
  return name.startsWith(".") || name === "node_modules" || name === "__pycache__";
}
