// A memory snapshot: a header, then the pages of memory that are not empty.

export interface SnapshotHeader {
  /** What it was made with; it fits no other version. */
  readonly version: string;
  readonly memoryBytes: number;
  /** The module of the trampoline, in hexadecimal digits. */
  readonly trampoline: string;
  /** Where pages lie: the first one and how many follow it, in the order of the data. */
  readonly runs: readonly (readonly [first: number, count: number])[];
}

export interface Snapshot {
  readonly header: SnapshotHeader;
  readonly pages: Uint8Array;
}

const pageBytes = 4096;

export function encodeSnapshot(memory: Uint8Array, facts: Pick<SnapshotHeader, "version" | "trampoline">): Uint8Array {
  const runs: [number, number][] = [];
  for (let page = 0; page * pageBytes < memory.length; page++) {
    if (isEmpty(memory.subarray(page * pageBytes, (page + 1) * pageBytes))) continue;
    const last = runs.at(-1);
    if (last && last[0] + last[1] === page) last[1]++;
    else runs.push([page, 1]);
  }
  const header = new TextEncoder().encode(JSON.stringify({ ...facts, memoryBytes: memory.length, runs }));
  const parts = runs.map(([first, count]) => memory.subarray(first * pageBytes, (first + count) * pageBytes));
  const bytes = new Uint8Array(4 + header.length + parts.reduce((sum, part) => sum + part.length, 0));
  new DataView(bytes.buffer).setUint32(0, header.length);
  let at = 4;
  for (const part of [header, ...parts]) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export function decodeSnapshot(bytes: Uint8Array): Snapshot {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end))) as SnapshotHeader;
  return { header, pages: bytes.subarray(end) };
}

/** Makes memory what it was, whatever it is now. Pages that stayed empty are not touched: they take no space. */
export function restoreSnapshot({ header, pages }: Snapshot, memory: Uint8Array): void {
  let at = 0;
  let cleared = 0;
  for (const [first, count] of header.runs) {
    clear(memory, cleared, first);
    memory.set(pages.subarray(at, at + count * pageBytes), first * pageBytes);
    at += count * pageBytes;
    cleared = first + count;
  }
  clear(memory, cleared, memory.length / pageBytes);
}

function clear(memory: Uint8Array, from: number, to: number): void {
  for (let page = from; page < to; page++) {
    const content = memory.subarray(page * pageBytes, (page + 1) * pageBytes);
    if (!isEmpty(content)) content.fill(0);
  }
}

function isEmpty(page: Uint8Array): boolean {
  // Eight bytes at once: this looks at tens of megabytes.
  return new BigUint64Array(page.buffer, page.byteOffset, page.length / 8).every((bytes) => bytes === 0n);
}
