import { currentFolder, type Descriptors } from "./descriptors.ts";
import { errno, Failure, type Files, type Node } from "./files.ts";
import type { Memory } from "./memory.ts";
import { refuse, systemCall, wholeNumber } from "./system-call.ts";

const noFollow = 256;
const emptyPath = 4096;
const removeFolder = 512;
const permissions = 0o7777;
const types: Record<Node["kind"], number> = { file: 0o100000, folder: 0o040000, link: 0o120000, device: 0o020000 };
const blockBytes = 4096;

/** The system calls that take a path, or that tell about what one leads to. */
export function createPathCalls(files: Files, descriptors: Descriptors, memory: Memory) {
  const nodeAt = (at: number, pointer: number, flags: number): Node => {
    const path = memory.text(pointer);
    if (path === "" && flags & emptyPath) {
      return at === currentFolder ? descriptors.folder : descriptors.get(at).node;
    }
    return files.find(descriptors.base(at, path), path, (flags & noFollow) === 0);
  };
  const stat = (node: Node, pointer: number): void => {
    const at = pointer >>> 0;
    const size = node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : blockBytes;
    const out = memory.view();
    memory.piece(at, 96).fill(0);
    out.setUint32(at, 1, true);
    out.setUint32(at + 4, types[node.kind] | node.mode, true);
    out.setUint32(at + 8, node.parent || node === files.root ? 1 : 0, true);
    out.setBigInt64(at + 24, BigInt(size), true);
    out.setInt32(at + 32, blockBytes, true);
    out.setInt32(at + 36, Math.ceil(size / 512), true);
    for (const [offset, time] of [
      [40, node.accessed],
      [56, node.modified],
      [72, node.modified],
    ] as const) {
      out.setBigInt64(at + offset, BigInt(Math.floor(time / 1000)), true);
      out.setUint32(at + offset + 8, Math.floor((time % 1000) * 1e6), true);
    }
    out.setBigInt64(at + 88, BigInt(node.id), true);
  };
  const statSpace = (pointer: number): void => {
    const at = pointer >>> 0;
    const out = memory.view();
    const blocks = (bytes: number): bigint => BigInt(Math.floor(bytes / blockBytes));
    memory.piece(at, 72).fill(0);
    out.setUint32(at + 4, blockBytes, true);
    out.setBigInt64(at + 8, blocks(files.space.limit), true);
    for (const offset of [16, 24]) out.setBigInt64(at + offset, blocks(files.space.limit - files.space.used), true);
    out.setUint32(at + 56, 255, true);
    out.setUint32(at + 60, blockBytes, true);
  };
  const setTimes = (node: Node, times: number): void => {
    const time = (at: number, before: number): number => {
      const nanoseconds = memory.view().getInt32(at + 8, true);
      if (nanoseconds === 0x3fffffff) return Date.now();
      if (nanoseconds === 0x3ffffffe) return before;
      return Number(memory.view().getBigInt64(at, true)) * 1000 + nanoseconds / 1e6;
    };
    node.accessed = times === 0 ? Date.now() : time(times >>> 0, node.accessed);
    node.modified = times === 0 ? Date.now() : time((times >>> 0) + 16, node.modified);
  };
  return {
    __syscall_openat: systemCall((at: number, pointer: number, flags: number, varargs: number) => {
      const path = memory.text(pointer);
      return descriptors.open(descriptors.base(at, path), path, flags, memory.argument(varargs));
    }),
    __syscall_stat64: systemCall((path: number, out: number) => stat(nodeAt(currentFolder, path, 0), out)),
    __syscall_lstat64: systemCall((path: number, out: number) => stat(nodeAt(currentFolder, path, noFollow), out)),
    __syscall_fstat64: systemCall((descriptor: number, out: number) => stat(descriptors.get(descriptor).node, out)),
    __syscall_newfstatat: systemCall((at: number, path: number, out: number, flags: number) =>
      stat(nodeAt(at, path, flags), out),
    ),
    __syscall_statfs64: systemCall((path: number, _size: number, out: number) => {
      nodeAt(currentFolder, path, 0);
      statSpace(out);
    }),
    __syscall_fstatfs64: systemCall((descriptor: number, _size: number, out: number) => {
      descriptors.get(descriptor);
      statSpace(out);
    }),
    __syscall_faccessat: systemCall((at: number, path: number) => void nodeAt(at, path, 0)),
    __syscall_chdir: systemCall((path: number) => {
      const node = nodeAt(currentFolder, path, 0);
      if (node.kind !== "folder") throw new Failure(errno.notFolder);
      descriptors.folder = node;
    }),
    __syscall_fchdir: systemCall((descriptor: number) => {
      descriptors.folder = descriptors.base(descriptor, "");
    }),
    __syscall_getcwd: systemCall((buffer: number, room: number) => {
      const { folder } = descriptors;
      if (folder !== files.root && !folder.parent) throw new Failure(errno.notFound);
      const path = files.pathOf(folder);
      if (path.length + 1 > room >>> 0) throw new Failure(errno.range);
      memory.put(path, buffer, room);
      return path.length + 1;
    }),
    __syscall_mkdirat: systemCall((at: number, pointer: number, mode: number) => {
      const path = memory.text(pointer);
      files.createFolder(descriptors.base(at, path), path, mode & 0o777);
    }),
    __syscall_unlinkat: systemCall((at: number, pointer: number, flags: number) => {
      const path = memory.text(pointer);
      files.remove(descriptors.base(at, path), path, flags & removeFolder ? "folder" : "file");
    }),
    __syscall_rmdir: systemCall((path: number) => files.remove(descriptors.folder, memory.text(path), "folder")),
    __syscall_renameat: systemCall((oldAt: number, oldPointer: number, newAt: number, newPointer: number) => {
      const [before, after] = [memory.text(oldPointer), memory.text(newPointer)];
      files.rename(descriptors.base(oldAt, before), before, descriptors.base(newAt, after), after);
    }),
    __syscall_symlinkat: systemCall((target: number, at: number, pointer: number) => {
      const path = memory.text(pointer);
      files.createLink(descriptors.base(at, path), path, memory.text(target));
    }),
    __syscall_readlinkat: systemCall((at: number, path: number, buffer: number, room: number) => {
      const node = nodeAt(at, path, noFollow);
      if (node.kind !== "link") throw new Failure(errno.invalid);
      const target = memory.piece(buffer, Math.min(node.target.length, room >>> 0));
      for (let index = 0; index < target.length; index++) target[index] = node.target.charCodeAt(index);
      return target.length;
    }),
    __syscall_chmod: systemCall((path: number, mode: number) => {
      nodeAt(currentFolder, path, 0).mode = mode & permissions;
    }),
    __syscall_fchmod: systemCall((descriptor: number, mode: number) => {
      descriptors.get(descriptor).node.mode = mode & permissions;
    }),
    __syscall_fchmodat2: systemCall((at: number, path: number, mode: number, flags: number) => {
      nodeAt(at, path, flags).mode = mode & permissions;
    }),
    __syscall_utimensat: systemCall((at: number, path: number, times: number, flags: number) =>
      setTimes(path === 0 ? descriptors.get(at).node : nodeAt(at, path, flags | emptyPath), times),
    ),
    __syscall_truncate64: systemCall((path: number, size: bigint) => {
      const node = nodeAt(currentFolder, path, 0);
      if (node.kind !== "file") throw new Failure(errno.isFolder);
      files.resize(node, wholeNumber(size));
    }),
    __syscall_fchownat: refuse(errno.notPermitted),
    __syscall_fchown32: refuse(errno.notPermitted),
    __syscall_mknodat: refuse(errno.notPermitted),
  };
}
