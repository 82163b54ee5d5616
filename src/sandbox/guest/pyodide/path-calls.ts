import { currentFolder, type Descriptors } from "./descriptors.ts";
import { errno, SystemCallFailure } from "./errno.ts";
import type { Files } from "./files.ts";
import type { Memory } from "./memory.ts";
import type { FolderNode, Node } from "./nodes.ts";
import { putSpace, putStatus, takeTimes } from "./status.ts";
import { refuse, systemCall, systemCalls, wholeNumber } from "./system-call.ts";

const noFollow = 256;
const emptyPath = 4096;
const removeFolder = 512;
const permissions = 0o7777;

type NodeAt = (at: number, pointer: number, flags: number) => Node;

/** The system calls that take a path, or that tell about what one leads to. */
export function createPathCalls(files: Files, descriptors: Descriptors, memory: Memory) {
  const place = (at: number, pointer: number): [from: FolderNode, path: string] => {
    const path = memory.text(pointer);
    return [descriptors.base(at, path), path];
  };
  const nodeAt: NodeAt = (at, pointer, flags) => {
    if (flags & emptyPath && memory.text(pointer) === "") {
      return at === currentFolder ? descriptors.folder : descriptors.get(at).node;
    }
    return files.find(...place(at, pointer), (flags & noFollow) === 0);
  };
  return {
    ...createStatusCalls(files, descriptors, memory, nodeAt),
    ...createFolderCalls(files, descriptors, memory, nodeAt),
    ...systemCalls({
      openat: (at, pointer, flags, varargs) => descriptors.open(...place(at, pointer), flags, memory.argument(varargs)),
      mkdirat: (at, pointer, mode) => files.createFolder(...place(at, pointer), mode & 0o777),
      unlinkat: (at, pointer, flags) => files.remove(...place(at, pointer), flags & removeFolder ? "folder" : "file"),
      rmdir: (pointer) => files.remove(...place(currentFolder, pointer), "folder"),
      renameat: (oldAt, oldPointer, newAt, newPointer) =>
        files.rename(...place(oldAt, oldPointer), ...place(newAt, newPointer)),
      symlinkat: (target, at, pointer) => files.createLink(...place(at, pointer), memory.text(target)),
      readlinkat(at, pointer, buffer, room) {
        const node = nodeAt(at, pointer, noFollow);
        if (node.kind !== "link") throw new SystemCallFailure(errno.invalid);
        const target = memory.piece(buffer, Math.min(node.target.length, room >>> 0));
        for (let index = 0; index < target.length; index++) target[index] = node.target.charCodeAt(index);
        return target.length;
      },
    }),
    __syscall_truncate64: systemCall((pointer: number, size: bigint) => {
      const node = nodeAt(currentFolder, pointer, 0);
      if (node.kind !== "file") throw new SystemCallFailure(errno.isFolder);
      files.resize(node, wholeNumber(size));
    }),
    __syscall_mknodat: refuse(errno.notPermitted),
  };
}

function createStatusCalls(files: Files, descriptors: Descriptors, memory: Memory, nodeAt: NodeAt) {
  const stat = (node: Node, out: number) => putStatus(node, files.isRemoved(node), memory, out);
  const change = (node: Node, mode: number): void => {
    node.mode = mode & permissions;
  };
  return {
    ...systemCalls({
      stat64: (path, out) => stat(nodeAt(currentFolder, path, 0), out),
      lstat64: (path, out) => stat(nodeAt(currentFolder, path, noFollow), out),
      fstat64: (descriptor, out) => stat(descriptors.get(descriptor).node, out),
      newfstatat: (at, path, out, flags) => stat(nodeAt(at, path, flags), out),
      statfs64(path, _size, out) {
        nodeAt(currentFolder, path, 0);
        putSpace(files.space, memory, out);
      },
      fstatfs64(descriptor, _size, out) {
        descriptors.get(descriptor);
        putSpace(files.space, memory, out);
      },
      faccessat: (at, path) => void nodeAt(at, path, 0),
      chmod: (path, mode) => change(nodeAt(currentFolder, path, 0), mode),
      fchmod: (descriptor, mode) => change(descriptors.get(descriptor).node, mode),
      fchmodat2: (at, path, mode, flags) => change(nodeAt(at, path, flags), mode),
      utimensat(at, path, times, flags) {
        const node = path === 0 ? descriptors.get(at).node : nodeAt(at, path, flags | emptyPath);
        takeTimes(node, memory, times);
      },
    }),
    __syscall_fchownat: refuse(errno.notPermitted),
    __syscall_fchown32: refuse(errno.notPermitted),
  };
}

function createFolderCalls(files: Files, descriptors: Descriptors, memory: Memory, nodeAt: NodeAt) {
  return systemCalls({
    chdir(path) {
      const node = nodeAt(currentFolder, path, 0);
      if (node.kind !== "folder") throw new SystemCallFailure(errno.notFolder);
      descriptors.folder = node;
    },
    fchdir(descriptor) {
      descriptors.folder = descriptors.base(descriptor, "");
    },
    getcwd(buffer, room) {
      const { folder } = descriptors;
      if (files.isRemoved(folder)) throw new SystemCallFailure(errno.notFound);
      const path = files.pathOf(folder);
      if (path.length + 1 > room >>> 0) throw new SystemCallFailure(errno.range);
      memory.put(path, buffer, room);
      return path.length + 1;
    },
  });
}
