// The files that Python in WebAssembly sees: all in memory, bounded in size, gone with the process.
// A path is a string of bytes: each character is one byte of it.

/** Error numbers as the C library of the WebAssembly build knows them. */
export const errno = {
  access: 2,
  badDescriptor: 8,
  busy: 10,
  exists: 20,
  invalid: 28,
  isFolder: 31,
  loop: 32,
  tooManyOpen: 33,
  nameTooLong: 37,
  noDevice: 43,
  notFound: 44,
  noMemory: 48,
  noSpace: 51,
  notImplemented: 52,
  notFolder: 54,
  notEmpty: 55,
  noTerminal: 59,
  overflow: 61,
  notPermitted: 63,
  range: 68,
  noSeek: 70,
} as const;

/** A system call that failed. */
export class Failure {
  readonly number: number;
  constructor(number: number) {
    this.number = number;
  }
}

export interface Device {
  read(bytes: Uint8Array): number;
  write(bytes: Uint8Array): number;
}

interface Entry {
  readonly id: number;
  mode: number;
  accessed: number;
  modified: number;
  /** Undefined for the root and for what was removed. */
  parent: Folder | undefined;
  name: string;
  /** How often it is open: what is removed while open takes space until it is closed. */
  opened: number;
}
export interface File extends Entry {
  readonly kind: "file";
  data: Uint8Array;
  size: number;
}
export interface Folder extends Entry {
  readonly kind: "folder";
  readonly entries: Map<string, Node>;
}
interface Link extends Entry {
  readonly kind: "link";
  readonly target: string;
}
interface Special extends Entry {
  readonly kind: "device";
  readonly device: Device;
}
export type Node = File | Folder | Link | Special;

export interface Files {
  readonly root: Folder;
  /** What all entries take, and what they may. */
  readonly space: { readonly used: number; readonly limit: number };
  find(from: Folder, path: string, followLast: boolean): Node;
  createFile(from: Folder, path: string, mode: number): File;
  createFolder(from: Folder, path: string, mode: number): Folder;
  createLink(from: Folder, path: string, target: string): Link;
  createDevice(path: string, device: Device): Special;
  /** A file of ours: it brings its own space. */
  provide(path: string, data: Uint8Array): void;
  remove(from: Folder, path: string, kind: "file" | "folder"): void;
  rename(fromOld: Folder, oldPath: string, fromNew: Folder, newPath: string): void;
  read(file: File, target: Uint8Array, position: number): number;
  write(file: File, source: Uint8Array, position: number): number;
  resize(file: File, size: number): void;
  open(node: Node): void;
  close(node: Node): void;
  pathOf(node: Node): string;
}

const linksMax = 40;
const nameBytesMax = 255;
const pathBytesMax = 4096;
/** About what an entry costs beside its content, so that a million empty files are not free. */
const entryBytes = 512;

export function createFiles(limit: number): Files {
  let ids = 0;
  const space = { used: 0, limit };

  const entry = (mode: number, parent: Folder | undefined, name: string): Entry => {
    const now = Date.now();
    return { id: ++ids, mode, accessed: now, modified: now, parent, name, opened: 0 };
  };
  const root: Folder = { ...entry(0o755, undefined, ""), kind: "folder", entries: new Map() };

  const take = (bytes: number): void => {
    if (space.used + bytes > space.limit) throw new Failure(errno.noSpace);
    space.used += bytes;
  };
  const takeMore = (bytes: number): void => {
    space.limit += bytes;
    space.used += bytes;
  };

  /** The folder that holds the last name of a path; the node is undefined where there is none of that name. */
  const walk = (from: Folder, path: string, followLast: boolean): { folder: Folder; name: string; node?: Node } => {
    if (path === "") throw new Failure(errno.notFound);
    if (path.length > pathBytesMax) throw new Failure(errno.nameTooLong);
    let folder = path.startsWith("/") ? root : from;
    let names = path.split("/").filter((name) => name !== "" && name !== ".");
    const mustBeFolder = path.endsWith("/");
    let links = 0;
    let node: Node | undefined = folder;
    for (let name = names.shift(); name !== undefined; name = names.shift()) {
      if (name.length > nameBytesMax) throw new Failure(errno.nameTooLong);
      const isLast = names.length === 0;
      node = name === ".." ? (folder.parent ?? folder) : folder.entries.get(name);
      if (node?.kind === "link" && (!isLast || followLast || mustBeFolder)) {
        if (++links > linksMax) throw new Failure(errno.loop);
        if (node.target.startsWith("/")) folder = root;
        names = [...node.target.split("/").filter((part) => part !== "" && part !== "."), ...names];
        node = folder;
        continue;
      }
      if (isLast) {
        if (mustBeFolder && node && node.kind !== "folder") throw new Failure(errno.notFolder);
        return name === ".." ? { folder, name, node: node as Folder } : { folder, name, ...(node && { node }) };
      }
      if (!node) throw new Failure(errno.notFound);
      if (node.kind !== "folder") throw new Failure(errno.notFolder);
      folder = node;
    }
    return { folder: folder.parent ?? folder, name: "", node: folder };
  };

  const free = (from: Folder, path: string): { folder: Folder; name: string } => {
    const { folder, name, node } = walk(from, path, false);
    if (node) throw new Failure(errno.exists);
    if (folder !== root && !folder.parent) throw new Failure(errno.notFound);
    return { folder, name };
  };
  const add = <T extends Node>(folder: Folder, name: string, node: T): T => {
    folder.entries.set(name, node);
    folder.modified = Date.now();
    return node;
  };
  const release = (node: Node): void => {
    space.used -= entryBytes;
    if (node.kind === "file") space.used -= node.size;
    if (node.kind === "link") space.used -= node.target.length;
  };
  const detach = (node: Node): void => {
    const { parent } = node;
    parent?.entries.delete(node.name);
    if (parent) parent.modified = Date.now();
    node.parent = undefined;
    if (node.opened === 0) release(node);
  };
  const files: Files = {
    root,
    space,
    find(from, path, followLast) {
      const { node } = walk(from, path, followLast);
      if (!node) throw new Failure(errno.notFound);
      return node;
    },
    createFile(from, path, mode) {
      // A link that dangles is created at its end, as the kernel of a real system does.
      const { folder, name, node } = walk(from, path, true);
      if (node) throw new Failure(errno.exists);
      if (path.endsWith("/")) throw new Failure(errno.isFolder);
      if (folder !== root && !folder.parent) throw new Failure(errno.notFound);
      take(entryBytes);
      return add(folder, name, { ...entry(mode, folder, name), kind: "file", data: new Uint8Array(0), size: 0 });
    },
    createFolder(from, path, mode) {
      const { folder, name } = free(from, path);
      take(entryBytes);
      return add(folder, name, { ...entry(mode, folder, name), kind: "folder", entries: new Map() });
    },
    createLink(from, path, target) {
      if (target === "") throw new Failure(errno.notFound);
      const { folder, name } = free(from, path);
      take(entryBytes + target.length);
      return add(folder, name, { ...entry(0o777, folder, name), kind: "link", target });
    },
    createDevice(path, device) {
      const { folder, name } = free(root, path);
      takeMore(entryBytes);
      return add(folder, name, { ...entry(0o666, folder, name), kind: "device", device });
    },
    provide(path, data) {
      const { folder, name } = free(root, path);
      takeMore(entryBytes + data.length);
      add(folder, name, { ...entry(0o444, folder, name), kind: "file", data, size: data.length });
    },
    remove(from, path, kind) {
      const { node, name } = walk(from, path, false);
      if (!node) throw new Failure(errno.notFound);
      if (kind === "file" && node.kind === "folder") throw new Failure(errno.isFolder);
      if (kind === "folder") {
        if (node.kind !== "folder") throw new Failure(errno.notFolder);
        if (node === root || name === "" || name === "..") throw new Failure(errno.busy);
        if (node.entries.size > 0) throw new Failure(errno.notEmpty);
      }
      detach(node);
    },
    rename(fromOld, oldPath, fromNew, newPath) {
      const { node } = walk(fromOld, oldPath, false);
      const place = walk(fromNew, newPath, false);
      if (!node) throw new Failure(errno.notFound);
      if (node === place.node) return;
      if (node === root || place.name === "" || place.name === "..") throw new Failure(errno.busy);
      for (let above: Folder | undefined = place.folder; above; above = above.parent) {
        if (above === node) throw new Failure(errno.invalid);
      }
      if (place.node) {
        if (place.node.kind === "folder" && node.kind !== "folder") throw new Failure(errno.isFolder);
        if (place.node.kind !== "folder" && node.kind === "folder") throw new Failure(errno.notFolder);
        if (place.node.kind === "folder" && place.node.entries.size > 0) throw new Failure(errno.notEmpty);
        detach(place.node);
      }
      node.parent?.entries.delete(node.name);
      node.parent = place.folder;
      node.name = place.name;
      add(place.folder, place.name, node);
    },
    read(file, target, position) {
      const count = Math.max(0, Math.min(target.length, file.size - position));
      target.set(file.data.subarray(position, position + count));
      return count;
    },
    write(file, source, position) {
      if (position + source.length > file.size) files.resize(file, position + source.length);
      file.data.set(source, position);
      file.modified = Date.now();
      return source.length;
    },
    resize(file, size) {
      take(size - file.size);
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
    },
    open(node) {
      node.opened++;
    },
    close(node) {
      if (--node.opened === 0 && !node.parent && node !== root) release(node);
    },
    pathOf(node) {
      const names: string[] = [];
      for (let at: Node = node; at.parent; at = at.parent) names.unshift(at.name);
      return `/${names.join("/")}`;
    },
  };
  return files;
}
