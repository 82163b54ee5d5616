import {
  contentOf,
  type Descriptors,
  flag,
  mustBeReadable,
  mustBeWritable,
  type OpenFile,
  writableContentOf,
} from "./descriptors.ts";
import { errno, SystemCallFailure } from "./errno.ts";
import type { Files } from "./files.ts";
import type { Memory } from "./memory.ts";
import { systemCall, wasiCall, wholeNumber } from "./system-call.ts";

const mapsWrite = 2;
const mapsPrivately = 2;

type Move = (file: OpenFile, piece: Uint8Array, position: number) => number;

/** The system calls that move bytes between memory and what is open. */
export function createTransferCalls(files: Files, descriptors: Descriptors, memory: Memory) {
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
  /** Moves what a list of pointers and lengths names, and tells how much that was. */
  const transfer = (file: OpenFile, list: number, count: number, move: Move, start: number, out: number): number => {
    let total = 0;
    for (let index = 0; index < count; index++) {
      const at = (list >>> 0) + index * 8;
      const length = memory.view().getUint32(at + 4, true);
      if (length === 0) continue;
      const moved = move(file, memory.piece(memory.view().getUint32(at, true), length), start + total);
      total += moved;
      if (moved < length) break;
    }
    memory.view().setUint32(out >>> 0, total, true);
    return total;
  };
  const moveOn = (move: Move) =>
    wasiCall((descriptor: number, list: number, count: number, out: number) => {
      const file = descriptors.get(descriptor);
      const { node, flags } = file;
      if (move === writeFrom && flags & flag.append && node.kind === "file") file.position = node.size;
      file.position += transfer(file, list, count, move, file.position, out);
    });
  const moveAt = (move: Move) =>
    wasiCall((descriptor: number, list: number, count: number, at: bigint, out: number) => {
      transfer(descriptors.get(descriptor), list, count, move, wholeNumber(at), out);
    });
  return {
    fd_read: moveOn(readInto),
    fd_pread: moveAt(readInto),
    fd_write: moveOn(writeFrom),
    fd_pwrite: moveAt(writeFrom),
    fd_seek: wasiCall((descriptor: number, offset: bigint, whence: number, out: number) =>
      memory.view().setBigInt64(out >>> 0, BigInt(seek(descriptors.get(descriptor), offset, whence)), true),
    ),
  };
}

function seek(file: OpenFile, offset: bigint, whence: number): number {
  const { node } = file;
  if (node.kind === "device") throw new SystemCallFailure(errno.noSeek);
  const start = [0, file.position, node.kind === "file" ? node.size : 0][whence] ?? Number.NaN;
  const position = start + Number(offset);
  if (!Number.isSafeInteger(position) || position < 0) throw new SystemCallFailure(errno.invalid);
  file.position = position;
  return position;
}

/** The system calls that show a file as memory: a copy, written back when it is asked for and at its end. */
export function createMappingCalls(
  files: Files,
  descriptors: Descriptors,
  memory: Memory,
  allocate: (bytes: number) => number,
) {
  const writeBack = (address: number, length: number, flags: number, descriptor: number, offset: bigint): void => {
    if (flags & mapsPrivately) return;
    const file = writableContentOf(descriptors.get(descriptor));
    const position = wholeNumber(offset);
    const size = Math.min(length >>> 0, file.size - position);
    if (size > 0) files.write(file, memory.piece(address, size), position);
  };
  return {
    _mmap_js: systemCall(
      (length: number, _access: number, _flags: number, descriptor: number, offset: bigint, by: number, at: number) => {
        const file = contentOf(descriptors.get(descriptor));
        const position = wholeNumber(offset);
        const pointer = allocate(length >>> 0);
        if (pointer === 0) throw new SystemCallFailure(errno.noMemory);
        const target = memory.piece(pointer, length);
        target.fill(0);
        files.read(file, target, position);
        memory.view().setInt32(by >>> 0, 1, true); // it is allocated
        memory.view().setUint32(at >>> 0, pointer, true);
      },
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
