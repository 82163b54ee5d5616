import { type Descriptors, flag, type OpenFile, writableContentOf } from "./descriptors.ts";
import { errno, SystemCallFailure } from "./errno.ts";
import type { Files } from "./files.ts";
import type { Memory } from "./memory.ts";
import type { Node } from "./nodes.ts";
import { refuse, systemCall, systemCalls, wasiCall, wholeNumber } from "./system-call.ts";

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

/** The system calls on what is open, but for those that move bytes. */
export function createFileCalls(
  files: Files,
  descriptors: Descriptors,
  memory: Memory,
  sleep: (milliseconds: number) => void,
) {
  const { get } = descriptors;
  return {
    ...systemCalls({
      getdents64: (descriptor, pointer, room) => list(get(descriptor), pointer, room, memory),
      fcntl64: (descriptor, asked, varargs) => control(get(descriptor), asked, varargs, descriptors, memory),
      ioctl(descriptor) {
        get(descriptor);
        throw new SystemCallFailure(errno.noTerminal);
      },
      dup: (descriptor) => descriptors.add(get(descriptor)),
      dup3(descriptor, target) {
        if (descriptor === target) throw new SystemCallFailure(errno.invalid);
        descriptors.replace(target, get(descriptor));
        return target;
      },
      /** Everything here is ready at once; with nothing to look at, this is a way to sleep. */
      poll(watched, count, timeout) {
        if (count === 0 && timeout > 0) sleep(timeout);
        for (let index = 0; index < count; index++) {
          const at = (watched >>> 0) + index * 8;
          const isKnown = descriptors.has(memory.view().getInt32(at, true));
          memory.view().setInt16(at + 6, isKnown ? memory.view().getInt16(at + 4, true) & 5 : 32, true);
        }
        return count;
      },
      fadvise64: () => 0,
      fdatasync: () => 0,
    }),
    __syscall_ftruncate64: systemCall((descriptor: number, size: bigint) =>
      files.resize(writableContentOf(get(descriptor)), wholeNumber(size)),
    ),
    __syscall_fallocate: systemCall((descriptor: number, _mode: number, offset: bigint, length: bigint) => {
      const file = writableContentOf(get(descriptor));
      files.resize(file, Math.max(file.size, wholeNumber(offset + length)));
    }),
    __syscall_pipe: refuse(errno.notImplemented),
    fd_close: wasiCall(descriptors.close),
    fd_sync: wasiCall((descriptor: number) => void get(descriptor)),
    fd_fdstat_get: wasiCall((descriptor: number, out: number) => {
      const { kind } = get(descriptor).node;
      memory.piece(out, 24).fill(0);
      memory.view().setUint8(out >>> 0, kind === "folder" ? 3 : kind === "device" ? 2 : 4);
    }),
  };
}

/** Writes as many entries of a folder as there is room for; the next call goes on from there. */
function list(file: OpenFile, pointer: number, room: number, memory: Memory): number {
  if (file.node.kind !== "folder") throw new SystemCallFailure(errno.notFolder);
  if (!file.listing || file.position === 0) {
    file.listing = [[".", file.node], ["..", file.node.parent ?? file.node], ...file.node.entries];
  }
  let at = pointer >>> 0;
  const end = at + (room >>> 0);
  for (; at + entryBytes <= end; at += entryBytes) {
    const entry = file.listing[file.position];
    if (!entry) break;
    file.position++;
    const [name, node] = entry;
    const out = memory.view();
    out.setBigUint64(at, BigInt(node.id), true);
    out.setBigUint64(at + 8, BigInt(file.position), true);
    out.setUint16(at + 16, entryBytes, true);
    out.setUint8(at + 18, entryTypes[node.kind]);
    memory.put(name, at + 19, 256);
  }
  return at - (pointer >>> 0);
}

function control(file: OpenFile, asked: number, varargs: number, descriptors: Descriptors, memory: Memory): number {
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
      throw new SystemCallFailure(errno.invalid);
  }
}
