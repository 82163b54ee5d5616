import { matchesGlob } from "../catalog/glob.ts";
import { createThreadYield } from "../system/thread-yield.ts";
import type { Folder } from "./folder.ts";
import { enterIfThere } from "./usage.ts";

export interface FolderListOptions {
  /** Where to begin; the whole workspace when absent. */
  readonly folder?: string | undefined;
  /** Which files: `*` and `?` over the path from the workspace. */
  readonly pattern?: string | undefined;
  readonly limit?: number | undefined;
}

export interface FolderListing {
  readonly entries: readonly FolderEntry[];
  /** How many were found; more than the entries when the list was cut. */
  readonly total: number;
  /** The tree is so large that it was not seen to its end. */
  readonly isPartial?: true;
}

export interface FolderEntry {
  readonly path: string;
  readonly type: "file" | "folder";
  readonly bytes: number;
  /** When it was last changed, as an ISO date. */
  readonly modified: string;
}

/** A folder, and what of the tree below it is still to be seen; undefined before it was looked into. */
interface Branch {
  readonly name: string;
  below?: readonly Branch[];
}

const most = 1000;
/** A tree beyond these is not seen to its end. */
const mostSeen = 20_000;
const mostEntered = 20_000;

/**
 * Files and folders, those near the top first. Folders that tools fill (hidden ones, node_modules, __pycache__) are
 * named and not gone into unless they are asked for. What is neither file nor folder is left out.
 */
export async function listFolder(start: Folder, { pattern, limit = most }: FolderListOptions): Promise<FolderListing> {
  const yieldThread = createThreadYield();
  const levels: FolderEntry[][] = [];
  let seen = 0;
  let entered = 0;
  const isEnough = () => seen > mostSeen || entered > mostEntered;
  const look = async (folder: Folder, depth: number): Promise<Branch[]> => {
    const level = levels[depth] ?? [];
    levels[depth] = level;
    const below: Branch[] = [];
    for (const entry of folder.entries()) {
      await yieldThread();
      if (++seen > mostSeen) break;
      if (entry.isDirectory() && !isToolFolder(entry.name)) below.push({ name: entry.name });
      const listed = describe(folder, entry.name);
      if (listed && (pattern === undefined || fits(listed, pattern))) level.push(listed);
    }
    return below;
  };
  const walk = async (folder: Folder, branch: Branch, depth: number, deepest: number): Promise<void> => {
    branch.below ??= await look(folder, depth);
    if (depth === deepest) return;
    for (const child of branch.below) {
      await yieldThread();
      if (isEnough()) return;
      entered++;
      using below = enterIfThere(folder, child.name);
      if (below) await walk(below, child, depth + 1, deepest);
      else child.below = [];
    }
    branch.below = branch.below.filter(isUnseen);
  };

  const top: Branch = { name: "" };
  // Twice as deep each time: the top is seen first, and few folders have to be gone through again.
  for (let deepest = 1; isUnseen(top) && !isEnough(); deepest *= 2) await walk(start, top, 0, deepest);
  const found = levels.flat();
  return { entries: found.slice(0, limit), total: found.length, ...(isEnough() && { isPartial: true }) };
}

function isUnseen({ below }: Branch): boolean {
  return below === undefined || below.length > 0;
}

function describe(folder: Folder, name: string): FolderEntry | undefined {
  const found = folder.look(name);
  const type = found?.isFile() ? "file" : found?.isDirectory() ? "folder" : undefined;
  if (!found || !type) return undefined;
  const path = folder.path === "" ? name : `${folder.path}/${name}`;
  return { path, type, bytes: type === "file" ? found.size : 0, modified: found.mtime.toISOString() };
}

/** A pattern without a slash is about the name alone. */
function fits({ path, type }: FolderEntry, pattern: string): boolean {
  const subject = pattern.includes("/") ? path : path.slice(path.lastIndexOf("/") + 1);
  return type === "file" && matchesGlob(subject, pattern);
}

function isToolFolder(name: string): boolean {
  return name.startsWith(".") || name === "node_modules" || name === "__pycache__";
}
