// The files that Python in WebAssembly sees: all in memory, bounded in size, gone with the process.
// A path is a string of bytes: each character is one byte of it.
import { errno, SystemCallFailure } from "./errno.ts";
import type { BaseNode, Device, DeviceNode, FileNode, FolderNode, LinkNode, Node } from "./nodes.ts";
import { type NodePlace, walk } from "./walk.ts";

export interface Files {
  readonly root: FolderNode;
  readonly space: Readonly<Space>;
  find(from: FolderNode, path: string, followLast: boolean): Node;
  createFile(from: FolderNode, path: string, mode: number): FileNode;
  createFolder(from: FolderNode, path: string, mode: number): FolderNode;
  createLink(from: FolderNode, path: string, target: string): LinkNode;
  createDevice(path: string, device: Device): DeviceNode;
  /** One of our own files: it brings its own space. */
  provide(path: string, data: Uint8Array): void;
  remove(from: FolderNode, path: string, kind: "file" | "folder"): void;
  rename(fromOld: FolderNode, oldPath: string, fromNew: FolderNode, newPath: string): void;
  read(file: FileNode, target: Uint8Array, position: number): number;
  write(file: FileNode, source: Uint8Array, position: number): number;
  resize(file: FileNode, size: number): void;
  open(node: Node): void;
  close(node: Node): void;
  isRemoved(node: Node): boolean;
  pathOf(node: Node): string;
}

/** What all entries take, and what they may. */
interface Space {
  used: number;
  limit: number;
}

type At = (from: FolderNode, path: string, followLast?: boolean) => NodePlace;

/** About what an entry costs beside its content, so that a million empty files are not free. */
const entryBytes = 512;

export function createFiles(limit: number): Files {
  const root: FolderNode = { ...newEntry(1, 0o755, undefined, ""), kind: "folder", entries: new Map() };
  const space = { used: 0, limit };
  const at: At = (from, path, followLast = false) => walk(root, from, path, followLast);
  const isRemoved = (node: Node): boolean => !node.parent && node !== root;
  return {
    root,
    space,
    find: (from, path, followLast) => mustExist(at(from, path, followLast)),
    ...createsEntries(root, space, at, isRemoved),
    ...movesEntries(root, space, at),
    ...createsContent(space),
    open(node) {
      node.opened++;
    },
    close(node) {
      if (--node.opened === 0 && isRemoved(node)) release(node, space);
    },
    isRemoved,
    pathOf(node) {
      const names: string[] = [];
      for (let each: Node = node; each.parent; each = each.parent) names.unshift(each.name);
      return `/${names.join("/")}`;
    },
  };
}

function newEntry(id: number, mode: number, parent: FolderNode | undefined, name: string): BaseNode {
  const now = Date.now();
  return { id, mode, accessed: now, modified: now, parent, name, opened: 0 };
}

function mustExist({ node }: NodePlace): Node {
  if (!node) throw new SystemCallFailure(errno.notFound);
  return node;
}

function take(space: Space, bytes: number): void {
  if (space.used + bytes > space.limit) throw new SystemCallFailure(errno.noSpace);
  space.used += bytes;
}

function release(node: Node, space: Space): void {
  const content = node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : 0;
  space.used -= entryBytes + content;
}

function attach<T extends Node>(node: T, folder: FolderNode): T {
  folder.entries.set(node.name, node);
  folder.modified = Date.now();
  return node;
}

function createsEntries(
  root: FolderNode,
  space: Space,
  at: At,
  isRemoved: (node: Node) => boolean,
): Pick<Files, "createFile" | "createFolder" | "createLink" | "createDevice" | "provide"> {
  let lastId = root.id;
  const create = <T extends Node>(place: NodePlace, mode: number, bytes: number, make: (entry: BaseNode) => T): T => {
    if (place.node) throw new SystemCallFailure(errno.exists);
    if (isRemoved(place.folder)) throw new SystemCallFailure(errno.notFound);
    take(space, entryBytes + bytes);
    return attach(make(newEntry(++lastId, mode, place.folder, place.name)), place.folder);
  };
  return {
    createFile(from, path, mode) {
      // A link that dangles is created at its end, as the kernel of a real system does.
      const place = at(from, path, true);
      if (!place.node && path.endsWith("/")) throw new SystemCallFailure(errno.isFolder);
      return create(place, mode, 0, (entry) => ({ ...entry, kind: "file", data: new Uint8Array(0), size: 0 }));
    },
    createFolder: (from, path, mode) =>
      create(at(from, path), mode, 0, (entry) => ({ ...entry, kind: "folder", entries: new Map() })),
    createLink(from, path, target) {
      if (target === "") throw new SystemCallFailure(errno.notFound);
      return create(at(from, path), 0o777, target.length, (entry) => ({ ...entry, kind: "link", target }));
    },
    createDevice(path, device) {
      space.limit += entryBytes;
      return create(at(root, path), 0o666, 0, (entry) => ({ ...entry, kind: "device", device }));
    },
    provide(path, data) {
      const size = data.length;
      space.limit += entryBytes + size;
      create(at(root, path), 0o444, size, (entry) => ({ ...entry, kind: "file", data, size }));
    },
  };
}

function movesEntries(root: FolderNode, space: Space, at: At): Pick<Files, "remove" | "rename"> {
  const detach = (node: Node): void => {
    const { parent } = node;
    parent?.entries.delete(node.name);
    if (parent) parent.modified = Date.now();
    node.parent = undefined;
    if (node.opened === 0) release(node, space);
  };
  return {
    remove(from, path, kind) {
      const place = at(from, path);
      const node = mustExist(place);
      if (kind === "file" && node.kind === "folder") throw new SystemCallFailure(errno.isFolder);
      if (kind === "folder") {
        if (node.kind !== "folder") throw new SystemCallFailure(errno.notFolder);
        if (node === root || hasNoName(place)) throw new SystemCallFailure(errno.busy);
        if (node.entries.size > 0) throw new SystemCallFailure(errno.notEmpty);
      }
      detach(node);
    },
    rename(fromOld, oldPath, fromNew, newPath) {
      const old = at(fromOld, oldPath);
      const place = at(fromNew, newPath);
      const node = mustExist(old);
      if (node === place.node) return;
      if (node === root || hasNoName(place)) throw new SystemCallFailure(errno.busy);
      for (let above: FolderNode | undefined = place.folder; above; above = above.parent) {
        if (above === node) throw new SystemCallFailure(errno.invalid);
      }
      if (place.node) {
        if (place.node.kind === "folder" && node.kind !== "folder") throw new SystemCallFailure(errno.isFolder);
        if (place.node.kind !== "folder" && node.kind === "folder") throw new SystemCallFailure(errno.notFolder);
        if (place.node.kind === "folder" && place.node.entries.size > 0) throw new SystemCallFailure(errno.notEmpty);
        detach(place.node);
      }
      node.parent?.entries.delete(node.name);
      node.parent = place.folder;
      node.name = place.name;
      attach(node, place.folder);
    },
  };
}

/** A path that ends with dots names nothing that could be given another name. */
function hasNoName({ name }: NodePlace): boolean {
  return name === "" || name === "..";
}

function createsContent(space: Space): Pick<Files, "read" | "write" | "resize"> {
  const resize = (file: FileNode, size: number): void => {
    take(space, size - file.size);
    if (size > file.data.length) {
      const grown = new Uint8Array(Math.max(size, Math.min(file.data.length * 2, file.data.length + (1 << 20))));
      grown.set(file.data.subarray(0, file.size));
      file.data = grown;
    } else if (size < file.size) {
      // What is cut off must not come back when the file grows again.
      file.data = file.data.slice(0, size);
    }
    file.size = size;
    file.modified = Date.now();
  };
  return {
    resize,
    read(file, target, position) {
      const count = Math.max(0, Math.min(target.length, file.size - position));
      target.set(file.data.subarray(position, position + count));
      return count;
    },
    write(file, source, position) {
      if (position + source.length > file.size) resize(file, position + source.length);
      file.data.set(source, position);
      file.modified = Date.now();
      return source.length;
    },
  };
}
