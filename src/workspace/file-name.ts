import { CoordinatorError } from "../errors.ts";
import { isGitFolder } from "../system/fold-name.ts";
import { type Owner, ownerHere } from "../system/owner.ts";

const longestPath = 1024;
const longestNameBytes = 255;
const deepest = 32;

/** Reserved by Windows with any ending: a file of that name would be a device there. */
const deviceName = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;
/** The name by which Windows also finds a file with a longer one: `MCP~1.JSO` for `.mcp.json`. */
const shortName = /^[^.~]{1,6}~\d{1,6}(\.[^.]{0,3})?$/;
/** Controls, invisible and direction characters, line separators, halves of pairs: what a reader cannot see. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const forbidden = /[<>:"|?*]/;
/** Without a node where an older program has made it. */
const temporaryName = /^\.mcp-coordinator-(?:([0-9a-f]{12})-)?(\d+)[.-](\d*)-[0-9a-f]+\.tmp$/;
/** All of these are ours, no matter who made them: git knows no narrower pattern, and what it leaves out nobody should write. */
const [temporaryStart, temporaryEnd] = [".mcp-coordinator-", ".tmp"];
export const temporaryGlob = `${temporaryStart}*${temporaryEnd}`;

/**
 * The parts of a path inside the workspace, or file_refused. The rules are those of all systems together, so that a
 * workspace means the same everywhere; whether a part is really inside is decided by handle (folder.ts).
 */
export function readPath(path: string): readonly string[] {
  const problem = path.length > longestPath ? `is longer than ${longestPath} characters` : pathProblem(path);
  if (problem !== undefined) throw refused(path, problem);
  const parts = path.replace(/^\.\//, "").split("/");
  if (parts.length > deepest) throw refused(path, `is more than ${deepest} folders deep`);
  for (const part of parts) {
    const wrong = nameProblem(part);
    if (wrong !== undefined) throw refused(path, wrong);
  }
  return parts;
}

/** The same for a folder, where nothing or "." is the workspace itself and a slash may stand at the end. */
export function readFolderPath(path: string): readonly string[] {
  return ["", ".", "./"].includes(path) ? [] : readPath(path.replace(/(?<=[^/])\/$/, ""));
}

function pathProblem(path: string): string | undefined {
  if (path === "") return "is empty";
  if (unseen.test(path)) return "has a character that cannot be seen";
  if (path.includes("\\")) return "has a backslash: folders are separated by /";
  if (path.startsWith("/")) return "is absolute: paths start in the workspace";
  if (/^[A-Za-z]:/.test(path)) return "starts with a drive: paths start in the workspace";
  if (path.startsWith("~")) return "starts with ~: paths start in the workspace";
  return undefined;
}

function nameProblem(name: string): string | undefined {
  if (name === "") return "has an empty part: two slashes, or one at the end";
  if (name === "." || name === "..") return `has the part "${name}": paths only lead downwards`;
  if (forbidden.test(name)) return 'has one of < > : " | ? *, which not every system allows';
  if (/[. ]$/.test(name) || name.startsWith(" ")) return "has a part with a space around it or a dot at its end";
  if (Buffer.byteLength(name) > longestNameBytes) return `has a part of more than ${longestNameBytes} bytes`;
  if (deviceName.test(name)) return `has the part "${name}", which is a device on Windows`;
  if (shortName.test(name)) return `has the part "${name}", which looks like a short name of Windows`;
  if (isGitFolder(name)) return "leads into git's own folder, which only git may touch";
  if (isTemporary(name)) return "is a name that mcp-coordinator uses for files that it has not finished";
  return undefined;
}

/** A name for a file that is not finished; it tells whose it is, so that leftovers can be found. */
export function temporaryNameOf({ node, epoch }: Owner, unique: string): string {
  return `${temporaryStart}${node}-${epoch}-${unique}${temporaryEnd}`;
}

export function isTemporary(name: string): boolean {
  return name.startsWith(temporaryStart) && name.endsWith(temporaryEnd);
}

/** Whose unfinished file this is; undefined for all other names. */
export function temporaryOwner(name: string): Owner | undefined {
  const [, node, pid, mark = ""] = temporaryName.exec(name) ?? [];
  if (pid === undefined) return undefined;
  return node === undefined ? ownerHere(pid, mark) : { node, epoch: `${pid}.${mark}` };
}

export function refused(path: string, problem: string, hint = usualHint): CoordinatorError {
  return new CoordinatorError("file_refused", `The path ${shownPath(path)} ${problem}. Nothing was read or written`, {
    hint,
  });
}

const usualHint = 'Use a path such as "report.py" or "lib/fib.ts", relative to the workspace.';

/** A path in a message: quoted, and never longer than a line. */
export function shownPath(path: string): string {
  return JSON.stringify(path.length > 120 ? `${path.slice(0, 119)}…` : path);
}
