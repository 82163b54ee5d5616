import {
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  type Stats,
} from "node:fs";
import { join } from "node:path";
import { CoordinatorError, systemCode } from "../errors.ts";
import { foldName, isGitFolder } from "../system/fold-name.ts";
import type { ClosedFiles } from "./closed-files.ts";
import { isTemporary, refused, temporaryOwner } from "./file-name.ts";

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
const hasHandles = process.platform === "linux";

/**
 * A folder of the workspace, held open. On Linux every step goes through the handle of the folder before it
 * (`/proc/self/fd/<n>/name`), so that a part that is replaced by a link meanwhile leads nowhere. Elsewhere Node cannot
 * do that: each part is looked at before it is used and again after.
 */
export class Folder implements Disposable {
  /** Where it is in the workspace, for messages; empty for the workspace itself. */
  readonly path: string;
  readonly #fd: number | undefined;
  readonly #place: string;
  readonly #above: Folder | undefined;
  readonly #identity: Stats;
  readonly #closed: ClosedFiles;

  private constructor(place: string, path: string, above: Folder | undefined, closed: ClosedFiles) {
    this.path = path;
    this.#above = above;
    this.#closed = closed;
    if (hasHandles) {
      this.#fd = openSync(place, O_RDONLY | O_DIRECTORY | (above ? O_NOFOLLOW : 0));
      this.#place = `/proc/self/fd/${this.#fd}`;
      this.#identity = fstatSync(this.#fd);
    } else {
      this.#place = place;
      this.#identity = lstatSync(place);
      if (!this.#identity.isDirectory())
        throw Object.assign(new Error(`${place} is not a folder`), { code: "ENOTDIR" });
    }
  }

  /** The workspace itself. The user chose its place, so links on the way there are followed. */
  static root(path: string, closed: ClosedFiles): Folder {
    return new Folder(realpathSync(path), "", undefined, closed);
  }

  /** The folder of that name in it; undefined when nothing is there. */
  enter(name: string): Folder | undefined {
    this.#refuseOtherCase(name);
    let folder: Folder;
    try {
      folder = new Folder(this.entry(name), this.#pathOf(name), this, this.#closed);
    } catch (thrown) {
      if (systemCode(thrown) === "ENOENT") return undefined;
      if (systemCode(thrown) !== "ENOTDIR" && systemCode(thrown) !== "ELOOP")
        throw unusable(this.#pathOf(name), thrown);
      throw refused(this.#pathOf(name), this.look(name)?.isSymbolicLink() ? "is a link" : "is not a folder");
    }
    if (!folder.#isRepository()) return folder;
    folder[Symbol.dispose]();
    throw refused(this.#pathOf(name), "is git's own folder, which only git may touch");
  }

  /** The same, made when it is not there; `onMake` is asked before. */
  make(name: string, onMake: () => void): Folder {
    const known = this.enter(name);
    if (known) return known;
    this.refuseSimilar(name);
    onMake();
    try {
      mkdirSync(this.entry(name), { mode: 0o755 });
    } catch (thrown) {
      if (systemCode(thrown) !== "EEXIST") throw unusable(this.#pathOf(name), thrown);
    }
    const made = this.enter(name);
    if (!made) throw unusable(this.#pathOf(name), new Error("it was removed at the same time"));
    return made;
  }

  /** The path by which the system reaches an entry of exactly this folder. */
  entry(name: string): string {
    return join(this.#place, name);
  }

  /** What is there under that name, without following it. */
  look(name: string): Stats | undefined {
    return lstatSync(this.entry(name), { throwIfNoEntry: false });
  }

  /** Opens a plain file for reading; undefined when nothing is there. Links, devices, pipes and folders are refused. */
  open(name: string): number | undefined {
    this.#refuseOtherCase(name);
    const seen = this.look(name);
    if (!seen) return undefined;
    this.refuseSpecial(name, seen);
    let fd: number;
    try {
      fd = openSync(this.entry(name), O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0) | (O_NOCTTY ?? 0));
    } catch (thrown) {
      if (systemCode(thrown) === "ENOENT") return undefined;
      if (systemCode(thrown) === "ELOOP") throw refused(this.#pathOf(name), "is a link");
      throw unusable(this.#pathOf(name), thrown);
    }
    try {
      const opened = fstatSync(fd);
      this.refuseSpecial(name, opened);
      this.refuseClosed(name, opened, "read");
      if (!hasHandles && !isSame(fstatSync(fd), this.look(name))) throw refused(this.#pathOf(name), "was replaced");
      this.stillThere();
    } catch (thrown) {
      closeSync(fd);
      throw thrown;
    }
    return fd;
  }

  refuseSpecial(name: string, found: Stats): void {
    if (found.isFile()) return;
    const what = found.isSymbolicLink() ? "a link" : found.isDirectory() ? "a folder" : "a device, a pipe or a socket";
    throw refused(this.#pathOf(name), `is ${what}, not a file`);
  }

  /** Refuses a file that is closed under another name. */
  refuseClosed(name: string, found: Stats, use: "read" | "change"): void {
    const problem = this.#closed.byIdentity(found, use);
    if (problem !== undefined) throw refused(this.#pathOf(name), problem, closedHint);
  }

  /** Refuses a new name that some system would take for one that is there. */
  refuseSimilar(name: string): void {
    const folded = foldName(name);
    const similar = readdirSync(this.#place).find((other) => other !== name && foldName(other) === folded);
    if (similar === undefined) return;
    throw refused(this.#pathOf(name), `differs from "${this.#pathOf(similar)}" only in its case or accents`);
  }

  /** What is in it, by name; what is closed, git's folder and files that are not finished are left out. */
  entries(use: "read" | "change" = "read"): Dirent[] {
    const closed = this.#closed.within(this.path === "" ? [] : this.path.split("/"));
    const isAlias = this.#closed.haveOtherNames()
      ? (entry: Dirent) => {
          const found = entry.isFile() ? this.look(entry.name) : undefined;
          return found !== undefined && found.nlink > 1 && this.#closed.byIdentity(found, use) !== undefined;
        }
      : () => false;
    return this.#all()
      .filter(({ name }) => !isGitFolder(name) && !isTemporary(name))
      .filter((entry) => closed(entry.name, use) === undefined && !isAlias(entry))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  }

  /** As git finds out whether a folder is a repository: a bare one, or one that lies apart from its files. */
  #isRepository(): boolean {
    const has = (name: string) => this.look(name) !== undefined;
    return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
  }

  /** The files that a process has begun and not finished. */
  unfinished(): string[] {
    return this.#all().flatMap(({ name }) => (temporaryOwner(name) ? [name] : []));
  }

  /** Puts renames and removals in it on the disk. */
  sync(): void {
    if (this.#fd !== undefined) fsyncSync(this.#fd);
  }

  /** Without handles: whether this folder and all above are still those that were entered. */
  stillThere(): void {
    if (hasHandles) return;
    if (!isSame(this.#identity, lstatSync(this.#place, { throwIfNoEntry: false }))) {
      throw refused(this.path, "was replaced while it was in use");
    }
    this.#above?.stillThere();
  }

  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }

  #all(): Dirent[] {
    return readdirSync(this.#place, { withFileTypes: true });
  }

  #pathOf(name: string): string {
    return this.path === "" ? name : `${this.path}/${name}`;
  }

  /** Where a file system finds "A" under "a", the name must be the one that is listed. */
  #refuseOtherCase(name: string): void {
    if (!hasHandles && this.look(name) && !readdirSync(this.#place).includes(name)) this.refuseSimilar(name);
  }
}

/** What to do about a file that is closed. */
export const closedHint =
  "Only the user may change what programs outside the sandbox go by: in an editor, not from here.";

function isSame(left: Stats, right: Stats | undefined): boolean {
  return right !== undefined && left.dev === right.dev && left.ino === right.ino;
}

function unusable(path: string, cause: unknown): CoordinatorError {
  const reason = cause instanceof Error ? cause.message.replace(/ '[^']*'/g, "") : String(cause);
  return new CoordinatorError("file_refused", `Cannot use "${path}" in the workspace: ${reason}`, {
    hint: "Check the permissions in the folder of the workspace (coordinator.workspace.root) and the free space.",
    cause,
  });
}
