import { existsSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { messageOf } from "../errors.ts";
import { foldName, isGitFolder } from "../system/fold-name.ts";
import { printable } from "../system/printable.ts";
import { holds, realPlace } from "../system/real-place.ts";
import { governingFiles } from "./governing-files.ts";

export interface Places {
  readonly root: string;
  /** The data folder. */
  readonly home: string;
  readonly skills: string;
  readonly userHome: string;
}

/**
 * Why guests may not have that folder: they would reach what governs them, or their user. A folder that holds a project's
 * configuration is fine, since those files are closed one by one. Undefined when it may be.
 */
export function workspaceRootProblem(given: Places): string | undefined {
  try {
    return problemOf(given);
  } catch (thrown) {
    return `cannot be judged: ${messageOf(thrown)}. Choose a folder whose place can be looked at`;
  }
}

function problemOf(given: Places): string | undefined {
  const [root, home] = [realPlace(given.root), realPlace(given.home)];
  const [skills, user] = [realPlace(given.skills), realPlace(given.userHome)];
  const says = (text: string, other: string, fix: string) =>
    `${printable(given.root)} ${text} ${printable(other)}. ${fix}`;
  if (holds(root, home)) {
    return says("is or holds the data folder", given.home, "Choose a folder beside it, or set MCP_COORDINATOR_HOME.");
  }
  const isOwn = root === join(home, "workspace");
  if (holds(home, root) && !isOwn) {
    const fix = 'Leave "root" out for the folder workspace/ there, or choose one elsewhere.';
    return says("lies in the data folder", given.home, fix);
  }
  if (holds(root, skills) || holds(skills, root)) {
    return says("and the folder of skills must lie apart:", given.skills, "Choose another coordinator.skills.folder.");
  }
  if (holds(root, user)) {
    const fix = "The keys and settings of all your programs are there: choose a folder below it.";
    return says("is or holds your home folder", given.userHome, fix);
  }
  const closed = isOwn ? undefined : closedFolder(root);
  if (closed === undefined) return undefined;
  return says("lies in a folder that programs outside the sandbox go by:", closed, "Choose a folder outside it.");
}

/** Where clients put checkouts of a project. */
const checkouts = "worktrees";
const closedNames = new Set(
  governingFiles
    .filter(({ path, access }) => access === "none" && /^[^/*]+\/$/.test(path))
    .map(({ path }) => foldName(path.slice(0, -1))),
);

/** The folder on the way to the root, or the root, that is closed in every project. */
function closedFolder(root: string): string | undefined {
  const below = (folder: string) => root.slice(folder.length).split(sep)[1];
  for (let folder = root; dirname(folder) !== folder; folder = dirname(folder)) {
    if (isGitFolder(basename(folder)) || isBareRepository(folder)) return folder;
    if (closedNames.has(foldName(basename(folder))) && below(folder) !== checkouts) return folder;
  }
  return undefined;
}

function isBareRepository(folder: string): boolean {
  return ["HEAD", "objects", "refs"].every((name) => existsSync(join(folder, name)));
}
