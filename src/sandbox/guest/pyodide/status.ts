import type { Files } from "./files.ts";
import type { Memory } from "./memory.ts";
import type { Node } from "./nodes.ts";

const types: Record<Node["kind"], number> = { file: 0o100000, folder: 0o040000, link: 0o120000, device: 0o020000 };
const blockBytes = 4096;
/** What the C library writes in place of nanoseconds for: now, and as it was. */
const timeNow = 0x3fffffff;
const timeKept = 0x3ffffffe;

/** Writes what there is to know of an entry, as `struct stat`. */
export function putStatus(node: Node, isRemoved: boolean, memory: Memory, pointer: number): void {
  const at = pointer >>> 0;
  const size = node.kind === "file" ? node.size : node.kind === "link" ? node.target.length : blockBytes;
  const out = memory.view();
  memory.piece(at, 96).fill(0);
  out.setUint32(at, 1, true);
  out.setUint32(at + 4, types[node.kind] | node.mode, true);
  out.setUint32(at + 8, isRemoved ? 0 : 1, true);
  out.setBigInt64(at + 24, BigInt(size), true);
  out.setInt32(at + 32, blockBytes, true);
  out.setInt32(at + 36, Math.ceil(size / 512), true);
  for (const [index, time] of [node.accessed, node.modified, node.modified].entries()) {
    out.setBigInt64(at + 40 + index * 16, BigInt(Math.floor(time / 1000)), true);
    out.setUint32(at + 48 + index * 16, Math.floor((time % 1000) * 1e6), true);
  }
  out.setBigInt64(at + 88, BigInt(node.id), true);
}

/** Writes what there is to know of all files together, as `struct statfs`. */
export function putSpace({ limit, used }: Files["space"], memory: Memory, pointer: number): void {
  const at = pointer >>> 0;
  const out = memory.view();
  const blocks = (bytes: number): bigint => BigInt(Math.floor(bytes / blockBytes));
  memory.piece(at, 72).fill(0);
  out.setUint32(at + 4, blockBytes, true);
  out.setBigInt64(at + 8, blocks(limit), true);
  for (const offset of [16, 24]) out.setBigInt64(at + offset, blocks(limit - used), true);
  out.setUint32(at + 56, 255, true);
  out.setUint32(at + 60, blockBytes, true);
}

/** Takes an entry's times from two `struct timespec`; both are now where there are none. */
export function takeTimes(node: Node, memory: Memory, times: number): void {
  const time = (at: number, before: number): number => {
    if (times === 0) return Date.now();
    const nanoseconds = memory.view().getInt32(at + 8, true);
    if (nanoseconds === timeNow) return Date.now();
    if (nanoseconds === timeKept) return before;
    return Number(memory.view().getBigInt64(at, true)) * 1000 + nanoseconds / 1e6;
  };
  node.accessed = time(times >>> 0, node.accessed);
  node.modified = time((times >>> 0) + 16, node.modified);
}
