import { errno, SystemCallFailure } from "./errno.ts";
import type { Files } from "./files.ts";
import type { FileNode, FolderNode, Node } from "./nodes.ts";

/** What a descriptor stands for; several may stand for the same. */
export interface OpenFile {
  readonly node: Node;
  flags: number;
  position: number;
  descriptors: number;
  /** A folder's entries as they were when the guest began to list them. */
  listing?: readonly (readonly [string, Node])[];
}

export interface Descriptors {
  /** The current folder. */
  folder: FolderNode;
  has(descriptor: number): boolean;
  get(descriptor: number): OpenFile;
  /** The folder that a path starts from. */
  base(descriptor: number, path: string): FolderNode;
  open(from: FolderNode, path: string, flags: number, mode: number): number;
  /** One more descriptor for an open file: the lowest that is free. */
  add(file: OpenFile, lowest?: number): number;
  /** The same, at a descriptor that is closed first. */
  replace(descriptor: number, file: OpenFile): void;
  close(descriptor: number): void;
}

/** Flags of opening, as the C library has them. */
export const flag = {
  write: 1,
  create: 0o100,
  exclusive: 0o200,
  truncate: 0o1000,
  append: 0o2000,
  nonBlocking: 0o4000,
  folder: 0o200000,
  noFollow: 0o400000,
} as const;

/** Stands for the current folder where a descriptor is asked for. */
export const currentFolder = -100;

export function createDescriptors(files: Files, most: number): Descriptors {
  const open = new Map<number, OpenFile>();
  const descriptors: Descriptors = {
    folder: files.root,
    has: (descriptor) => open.has(descriptor),
    get(descriptor) {
      const file = open.get(descriptor);
      if (!file) throw new SystemCallFailure(errno.badDescriptor);
      return file;
    },
    base(descriptor, path) {
      if (path.startsWith("/")) return files.root;
      if (descriptor === currentFolder) return descriptors.folder;
      const { node } = descriptors.get(descriptor);
      if (node.kind !== "folder") throw new SystemCallFailure(errno.notFolder);
      return node;
    },
    open(from, path, flags, mode) {
      if (open.size >= most) throw new SystemCallFailure(errno.tooManyOpen);
      const node = findOrCreate(files, from, path, flags, mode);
      const writes = (flags & 3) !== 0;
      if (node.kind === "link") throw new SystemCallFailure(errno.loop);
      if (node.kind === "folder" && writes) throw new SystemCallFailure(errno.isFolder);
      if (node.kind !== "folder" && flags & flag.folder) throw new SystemCallFailure(errno.notFolder);
      if (node.kind === "file" && flags & flag.truncate && writes) files.resize(node, 0);
      files.open(node);
      return descriptors.add({ node, flags, position: 0, descriptors: 0 });
    },
    add(file, lowest = 0) {
      if (lowest < 0) throw new SystemCallFailure(errno.invalid);
      for (let descriptor = lowest; descriptor < most; descriptor++) {
        if (open.has(descriptor)) continue;
        open.set(descriptor, file);
        file.descriptors++;
        return descriptor;
      }
      throw new SystemCallFailure(errno.tooManyOpen);
    },
    replace(descriptor, file) {
      if (descriptor < 0 || descriptor >= most) throw new SystemCallFailure(errno.badDescriptor);
      if (open.has(descriptor)) descriptors.close(descriptor);
      open.set(descriptor, file);
      file.descriptors++;
    },
    close(descriptor) {
      const file = descriptors.get(descriptor);
      open.delete(descriptor);
      if (--file.descriptors === 0) files.close(file.node);
    },
  };
  return descriptors;
}

function findOrCreate(files: Files, from: FolderNode, path: string, flags: number, mode: number): Node {
  const isNew = (flags & flag.create) !== 0 && (flags & flag.exclusive) !== 0;
  try {
    const node = files.find(from, path, (flags & flag.noFollow) === 0 && !isNew);
    if (isNew) throw new SystemCallFailure(errno.exists);
    return node;
  } catch (thrown) {
    const isMissing = thrown instanceof SystemCallFailure && thrown.number === errno.notFound;
    if (!isMissing || (flags & flag.create) === 0) throw thrown;
    return files.createFile(from, path, mode & 0o777);
  }
}

/** The content of an open file that has one. */
export function contentOf({ node }: OpenFile): FileNode {
  if (node.kind !== "file") throw new SystemCallFailure(node.kind === "folder" ? errno.isFolder : errno.invalid);
  return node;
}

/** The same for one that is open for writing. */
export function writableContentOf(file: OpenFile): FileNode {
  mustBeWritable(file);
  return contentOf(file);
}

export function mustBeWritable({ flags }: OpenFile): void {
  if ((flags & 3) === 0) throw new SystemCallFailure(errno.badDescriptor);
}

export function mustBeReadable({ flags }: OpenFile): void {
  if ((flags & 3) === flag.write) throw new SystemCallFailure(errno.badDescriptor);
}
