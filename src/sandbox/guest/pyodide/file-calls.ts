import {
  contentOf,
  type Descriptors,
  flag,
  mustBeReadable,
  mustBeWritable,
  type OpenFile,
  writableContentOf,
} from "./descriptors.ts";
import { errno, Failure, type Files, type Node } from "./files.ts";
import type { Memory } from "./memory.ts";
import { answer, refuse, systemCall, wasiCall, wholeNumber } from "./system-call.ts";

const statusFlags = flag.append | flag.nonBlocking;
const entryTypes: Record<Node["kind"], number> = { file: 8, folder: 4, link: 10, device: 2 };
const entryBytes = 280;
/** Commands of fcntl. */
const command = {
  duplicate: 0,
  closing: 1,
  setClosing: 2,
  status: 3,
  setStatus: 4,
  lock: 12,
  setLock: 13,
  waitForLock: 14,
  duplicateClosing: 1030,
} as const;
const unlocked = 2;
const mapsWrite = 2;
const mapsPrivately = 2;

type Move = (file: OpenFile, piece: Uint8Array, position: number) => number;

/** The system calls on what is open. */
export function createFileCalls(
  files: Files,
  descriptors: Descriptors,
  memory: Memory,
  options: { readonly allocate: (bytes: number) => number; readonly sleep: (milliseconds: number) => void },
) {
  const readInto: Move = (file, target, position) => {
    mustBeReadable(file);
    return file.node.kind === "device" ? file.node.device.read(target) : files.read(contentOf(file), target, position);
  };
  const writeFrom: Move = (file, source, position) => {
    mustBeWritable(file);
    return file.node.kind === "device"
      ? file.node.device.write(source)
      : files.write(contentOf(file), source, position);
  };
  /** Moves bytes between a file and the pieces of memory that a list of pointers and lengths names. */
  const transfer = (file: OpenFile, list: number, count: number, move: Move, start: number): number => {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const at = (list >>> 0) + index * 8;
      const length = memory.view().getUint32(at + 4, true);
      if (length === 0) continue;
      const moved = move(file, memory.piece(memory.view().getUint32(at, true), length), start + total);
      total += moved;
      if (moved < length) break;
    }
    return total;
  };
  const moveOn = (file: OpenFile, list: number, count: number, move: Move, out: number): void => {
    const total = transfer(file, list, count, move, file.position);
    file.position += total;
    memory.view().setUint32(out >>> 0, total, true);
  };
  const moveAt = (at: bigint, file: OpenFile, list: number, count: number, move: Move, out: number): void =>
    memory.view().setUint32(out >>> 0, transfer(file, list, count, move, wholeNumber(at)), true);

  const list = (descriptor: number, pointer: number, room: number): number => {
    const file = descriptors.get(descriptor);
    if (file.node.kind !== "folder") throw new Failure(errno.notFolder);
    if (!file.listing || file.position === 0) {
      file.listing = [[".", file.node], ["..", file.node.parent ?? file.node], ...file.node.entries];
    }
    let at = pointer >>> 0;
    const end = at + (room >>> 0);
    for (; file.position < file.listing.length && at + entryBytes <= end; at += entryBytes) {
      const [name, node] = file.listing[file.position++] as readonly [string, Node];
      const out = memory.view();
      out.setBigUint64(at, BigInt(node.id), true);
      out.setBigUint64(at + 8, BigInt(file.position), true);
      out.setUint16(at + 16, entryBytes, true);
      out.setUint8(at + 18, entryTypes[node.kind]);
      memory.put(name, at + 19, 256);
    }
    return at - (pointer >>> 0);
  };
  const control = (descriptor: number, asked: number, varargs: number): number => {
    const file = descriptors.get(descriptor);
    switch (asked) {
      case command.duplicate:
      case command.duplicateClosing:
        return descriptors.add(file, memory.argument(varargs));
      case command.status:
        return file.flags;
      case command.setStatus:
        file.flags = (file.flags & ~statusFlags) | (memory.argument(varargs) & statusFlags);
        return 0;
      case command.lock:
        memory.view().setInt16(memory.argument(varargs) >>> 0, unlocked, true);
        return 0;
      // Whether a descriptor closes when another program starts, and locks: nobody else is there.
      case command.closing:
      case command.setClosing:
      case command.setLock:
      case command.waitForLock:
        return 0;
      default:
        throw new Failure(errno.invalid);
    }
  };
  const seek = (file: OpenFile, offset: bigint, whence: number): number => {
    const { node } = file;
    if (node.kind === "device") throw new Failure(errno.noSeek);
    const start = [0, file.position, node.kind === "file" ? node.size : 0][whence] ?? Number.NaN;
    const position = start + Number(offset);
    if (!Number.isSafeInteger(position) || position < 0) throw new Failure(errno.invalid);
    file.position = position;
    return position;
  };
  const map = (length: number, descriptor: number, offset: bigint, isAllocated: number, address: number): void => {
    const file = contentOf(descriptors.get(descriptor));
    const position = wholeNumber(offset);
    const pointer = options.allocate(length >>> 0);
    if (pointer === 0) throw new Failure(errno.noMemory);
    const target = memory.piece(pointer, length);
    target.fill(0);
    files.read(file, target, position);
    memory.view().setInt32(isAllocated >>> 0, 1, true);
    memory.view().setUint32(address >>> 0, pointer, true);
  };
  const writeBack = (address: number, length: number, flags: number, descriptor: number, offset: bigint): void => {
    if (flags & mapsPrivately) return;
    const file = writableContentOf(descriptors.get(descriptor));
    const position = wholeNumber(offset);
    const size = Math.min(length >>> 0, file.size - position);
    if (size > 0) files.write(file, memory.piece(address, size), position);
  };
  /** Everything here is ready at once; with nothing to look at, this is a way to sleep. */
  const poll = (watched: number, count: number, timeout: number): number => {
    if (count === 0 && timeout > 0) options.sleep(timeout);
    for (let index = 0; index < count; index++) {
      const at = (watched >>> 0) + index * 8;
      const isKnown = descriptors.has(memory.view().getInt32(at, true));
      memory.view().setInt16(at + 6, isKnown ? memory.view().getInt16(at + 4, true) & 5 : 32, true);
    }
    return count;
  };
  return {
    fd_read: wasiCall((descriptor: number, pieces: number, count: number, out: number) =>
      moveOn(descriptors.get(descriptor), pieces, count, readInto, out),
    ),
    fd_pread: wasiCall((descriptor: number, pieces: number, count: number, at: bigint, out: number) =>
      moveAt(at, descriptors.get(descriptor), pieces, count, readInto, out),
    ),
    fd_write: wasiCall((descriptor: number, pieces: number, count: number, out: number) => {
      const file = descriptors.get(descriptor);
      if (file.flags & flag.append && file.node.kind === "file") file.position = file.node.size;
      moveOn(file, pieces, count, writeFrom, out);
    }),
    fd_pwrite: wasiCall((descriptor: number, pieces: number, count: number, at: bigint, out: number) =>
      moveAt(at, descriptors.get(descriptor), pieces, count, writeFrom, out),
    ),
    fd_seek: wasiCall((descriptor: number, offset: bigint, whence: number, out: number) =>
      memory.view().setBigInt64(out >>> 0, BigInt(seek(descriptors.get(descriptor), offset, whence)), true),
    ),
    fd_close: wasiCall(descriptors.close),
    fd_sync: wasiCall((descriptor: number) => void descriptors.get(descriptor)),
    fd_fdstat_get: wasiCall((descriptor: number, out: number) => {
      const { kind } = descriptors.get(descriptor).node;
      memory.piece(out, 24).fill(0);
      memory.view().setUint8(out >>> 0, kind === "folder" ? 3 : kind === "device" ? 2 : 4);
    }),
    __syscall_getdents64: systemCall(list),
    __syscall_fcntl64: systemCall(control),
    __syscall_ioctl: systemCall((descriptor: number) => {
      descriptors.get(descriptor);
      throw new Failure(errno.noTerminal);
    }),
    __syscall_dup: systemCall((descriptor: number) => descriptors.add(descriptors.get(descriptor))),
    __syscall_dup3: systemCall((descriptor: number, target: number) => {
      if (descriptor === target) throw new Failure(errno.invalid);
      descriptors.replace(target, descriptors.get(descriptor));
      return target;
    }),
    __syscall_ftruncate64: systemCall((descriptor: number, size: bigint) =>
      files.resize(writableContentOf(descriptors.get(descriptor)), wholeNumber(size)),
    ),
    __syscall_fallocate: systemCall((descriptor: number, _mode: number, offset: bigint, length: bigint) => {
      const file = writableContentOf(descriptors.get(descriptor));
      files.resize(file, Math.max(file.size, wholeNumber(offset + length)));
    }),
    __syscall_fadvise64: answer(0),
    __syscall_fdatasync: answer(0),
    __syscall_poll: systemCall(poll),
    __syscall_pipe: refuse(errno.notImplemented),
    _mmap_js: systemCall(
      (length: number, _access: number, _flags: number, descriptor: number, offset: bigint, by: number, at: number) =>
        map(length, descriptor, offset, by, at),
    ),
    _msync_js: systemCall(
      (at: number, length: number, _access: number, flags: number, descriptor: number, offset: bigint) =>
        writeBack(at, length, flags, descriptor, offset),
    ),
    _munmap_js: systemCall(
      (at: number, length: number, access: number, flags: number, descriptor: number, offset: bigint) =>
        access & mapsWrite ? writeBack(at, length, flags, descriptor, offset) : undefined,
    ),
  };
}
