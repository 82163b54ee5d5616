import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { promisify } from "node:util";
import type { GoverningFile } from "../config/governing-files.ts";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import { createFileLock } from "../system/file-lock.ts";
import { foldName } from "../system/fold-name.ts";
import { nearest } from "../system/nearest.ts";
import { thisProcess } from "../system/owner.ts";
import { type ClosedFiles, createClosedFiles } from "./closed-files.ts";
import { readFolderPath, readPath, refused, shownPath, temporaryNameOf } from "./file-name.ts";
import { findClosed } from "./find-closed.ts";
import { closedHint, Folder } from "./folder.ts";
import { type FolderListing, type FolderListOptions, listFolder } from "./list-folder.ts";
import { createUsage, type Quota, type Usage, type Used } from "./usage.ts";

const syncFile = promisify(fsync);
const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const largestFileBytes = 64 * 1024 * 1024;

/** The folder of files that file tools and guests share. Paths are relative to it, with `/`; none leads out of it. */
export interface Workspace {
  readonly root: string;
  /** The file's bytes, or file_unknown. */
  read(path: string): Buffer;
  /** Replaces the file as a whole, or makes it: a reader sees the old bytes or the new ones, also after a crash. */
  write(path: string, data: string | Uint8Array, options?: { readonly onlyNew?: boolean }): Promise<Written>;
  /** Adds to the file's end, or makes it. Of several writers at once none loses anything. */
  append(path: string, data: string | Uint8Array): Promise<Written>;
  list(options?: FolderListOptions): Promise<FolderListing>;
  remove(path: string): Promise<void>;
  /** The files and folders, among those on the way to these files, that may not be read here. */
  findClosed(paths: readonly string[]): Promise<readonly string[]>;
  /** How much is in it, without what is closed; folders count as files. */
  used(): Promise<Used>;
}

export interface Written {
  /** As it is given in answers: relative to the workspace. */
  readonly path: string;
  readonly bytes: number;
  readonly created: boolean;
}

export interface WorkspaceOptions extends Quota {
  readonly root: string;
  /** Where the locks are; the same for all processes that share the workspace. */
  readonly lockFolder: string;
  /** The files that the coordinator itself goes by at the moment, by absolute path; beside those that names tell. */
  readonly ownFiles?: () => readonly GoverningFile[];
}

const patienceMs = 15_000;
const lockOptions = {
  patienceMs,
  busy: () =>
    new CoordinatorError("file_busy", `Another process has been writing to the file for ${patienceMs / 1000} s`, {
      hint: "Nothing was written. Try again.",
    }),
};

export function createWorkspace({ root, lockFolder, ownFiles = () => [], ...quota }: WorkspaceOptions): Workspace {
  const entrance = createEntrance(root, createClosedFiles(root, ownFiles));
  const usage = createUsage(entrance.openRoot, quota);
  return {
    root,
    read(path) {
      const { parts, name } = splitPath(path);
      using folder = descend(entrance.openRoot(entrance.admit(path, parts, "read")), parts.slice(0, -1));
      const bytes = folder && readIfThere(path, folder, name);
      if (bytes === undefined) throw unknownFile(path, folder?.entries());
      return bytes;
    },
    async list(options = {}) {
      const parts = readFolderPath(options.folder ?? "");
      using folder = descend(entrance.openRoot(entrance.admit(options.folder ?? ".", parts, "read")), parts);
      // Awaited here: the folder is let go at the end of this block.
      if (folder) return await listFolder(folder, options);
      if (options.folder) throw unknownFile(options.folder);
      return { entries: [], total: 0 };
    },
    ...createWriter(createChange(root, lockFolder, entrance, usage), usage),
    used: usage.used,
    findClosed: (paths) => findClosed(root, entrance.look(), paths),
  };
}

/** The way into the workspace, past what is closed at the moment. */
interface Entrance {
  look(): ClosedFiles;
  /** Undefined when there is no such folder. */
  openRoot(closed?: ClosedFiles): Folder | undefined;
  /** Refuses a path that is closed by its name. */
  admit(path: string, parts: readonly string[], use: "read" | "change"): ClosedFiles;
}

function createEntrance(root: string, look: () => ClosedFiles): Entrance {
  return {
    look,
    openRoot(closed = look()) {
      try {
        return Folder.root(root, closed);
      } catch (thrown) {
        if (systemCode(thrown) === "ENOENT") return undefined;
        throw unusableRoot(root, thrown);
      }
    },
    admit(path, parts, use) {
      const closed = look();
      const problem = closed.byName(parts, use);
      if (problem !== undefined) throw refused(path, problem, closedHint);
      return closed;
    },
  };
}

/** Works on the place of a file while nobody else does; with `make` its folders are made. */
type Change = <Result>(
  path: string,
  options: { readonly make: boolean },
  work: (folder: Folder, name: string) => Promise<Result>,
) => Promise<Result>;

/** One writer per file: the holder of its lock knows what is there until it lets go. */
function createChange(root: string, lockFolder: string, { admit, openRoot }: Entrance, usage: Usage): Change {
  const withLock = createFileLock(lockFolder);
  return async (path, { make }, work) => {
    const { parts, name } = splitPath(path);
    admit(path, parts, "change");
    if (make) makeRoot(root);
    return withLock(`${root}\n${parts.map(foldName).join("/")}`, lockOptions, async () => {
      // Before anything is looked at: counting takes a while, in which what was seen may change.
      if (make) await usage.ready(0, parts.length);
      const onMake = make ? () => usage.reserve(0, 1) : undefined;
      using folder = descend(openRoot(admit(path, parts, "change")), parts.slice(0, -1), onMake);
      if (!folder) throw unknownFile(path);
      // Awaited here: the folder is let go at the end of this block.
      return await work(folder, name);
    });
  };
}

function createWriter(change: Change, usage: Usage): Pick<Workspace, "write" | "append" | "remove"> {
  const put = (path: string, content: (before: () => Buffer) => Buffer, onlyNew: boolean): Promise<Written> =>
    change(path, { make: true }, async (folder, name) => {
      const before = folder.look(name);
      if (before) folder.refuseSpecial(name, before);
      else folder.refuseSimilar(name);
      if (before) folder.refuseClosed(name, before, "change");
      if (before && onlyNew) throw alreadyThere(path);
      const data = content(() => readIfThere(path, folder, name) ?? Buffer.alloc(0));
      if (data.length > largestFileBytes) throw tooLarge(path, data.length);
      const more = data.length - (before?.size ?? 0);
      await usage.ready(more, before ? 0 : 1);
      usage.reserve(more, before ? 0 : 1);
      try {
        await replace(folder, name, data, before?.mode);
      } catch (thrown) {
        usage.release(more, before ? 0 : 1);
        throw thrown;
      }
      return { path: readPath(path).join("/"), bytes: data.length, created: before === undefined };
    });
  return {
    write: (path, data, { onlyNew = false } = {}) => put(path, () => bytesOf(data), onlyNew),
    append: (path, data) => put(path, (before) => Buffer.concat([before(), bytesOf(data)]), false),
    remove: (path) =>
      change(path, { make: false }, async (folder, name) => {
        const found = folder.look(name);
        if (!found) throw unknownFile(path, folder.entries());
        folder.refuseSpecial(name, found);
        folder.refuseClosed(name, found, "change");
        rmSync(folder.entry(name));
        folder.sync();
        usage.release(found.size, 1);
      }),
  };
}

function splitPath(path: string): { parts: readonly string[]; name: string } {
  const parts = readPath(path);
  return { parts, name: parts.at(-1) ?? "" };
}

function bytesOf(data: string | Uint8Array): Buffer {
  return typeof data === "string" ? Buffer.from(data) : Buffer.from(data);
}

/** The folder that the parts lead to; with `onMake`, which is asked before, made where it is not there. The folders on the way are let go. */
function descend(root: Folder | undefined, parts: readonly string[], onMake?: () => void): Folder | undefined {
  let folder = root;
  for (const part of parts) {
    if (!folder) return undefined;
    const above: Folder = folder;
    try {
      folder = onMake ? above.make(part, onMake) : above.enter(part);
    } finally {
      above[Symbol.dispose]();
    }
  }
  return folder;
}

/** A file of its own beside it that takes its place when it is whole and on the disk. */
async function replace(folder: Folder, name: string, data: Buffer, mode: number | undefined): Promise<void> {
  const temporary = temporaryNameOf(thisProcess(), randomBytes(6).toString("hex"));
  const place = folder.entry(temporary);
  const fd = openSync(place, O_WRONLY | O_CREAT | O_EXCL | (O_NOFOLLOW ?? 0), 0o644);
  try {
    try {
      folder.stillThere();
      if (mode !== undefined) fchmodSync(fd, mode & 0o777);
      writeFileSync(fd, data);
      await syncFile(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(place, folder.entry(name));
  } catch (thrown) {
    rmSync(place, { force: true });
    throw thrown;
  }
  folder.sync();
}

function readIfThere(path: string, folder: Folder, name: string): Buffer | undefined {
  const fd = folder.open(name);
  if (fd === undefined) return undefined;
  try {
    const { size } = fstatSync(fd);
    if (size > largestFileBytes) throw tooLargeToRead(path, size);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

function makeRoot(root: string): void {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw unusableRoot(root, thrown);
  }
}

function unusableRoot(root: string, cause: unknown): CoordinatorError {
  return new CoordinatorError("storage_unavailable", `Cannot use the workspace ${root}: ${messageOf(cause)}`, {
    hint: "Check coordinator.workspace.root: it has to be a folder that this user may write to.",
    cause,
  });
}

function unknownFile(path: string, there: readonly { name: string }[] = []): CoordinatorError {
  const close = nearest(
    path.split("/").at(-1) ?? "",
    there.map(({ name }) => name),
  );
  const found = close === undefined ? "" : ` There is "${[...path.split("/").slice(0, -1), close].join("/")}".`;
  return new CoordinatorError("file_unknown", `The workspace has no file ${shownPath(path)}`, {
    hint: `list_code_files, or workspace.list() in a guest, shows what is there.${found}`,
  });
}

function alreadyThere(path: string): CoordinatorError {
  return new CoordinatorError("file_exists", `The file ${shownPath(path)} is already there, and is unchanged`, {
    hint: "overwrite_code_file replaces it, append_to_code_file adds to it; or choose another name.",
  });
}

function tooLargeToRead(path: string, bytes: number): CoordinatorError {
  const most = largestFileBytes / 1024 / 1024;
  return new CoordinatorError(
    "file_refused",
    `The file ${shownPath(path)} has ${bytes} bytes; no file of more than ${most} MB is read here. Nothing was changed`,
    { hint: "A program outside the sandbox can split it into several files; or remove it." },
  );
}

function tooLarge(path: string, bytes: number): CoordinatorError {
  const most = largestFileBytes / 1024 / 1024;
  return new CoordinatorError(
    "workspace_full",
    `The file ${shownPath(path)} would have ${bytes} bytes; a file may have ${most} MB. Nothing was changed`,
    { hint: "Split it into several files." },
  );
}
