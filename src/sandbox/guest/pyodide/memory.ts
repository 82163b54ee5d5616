import { errno, SystemCallFailure } from "./errno.ts";

/** Python's memory as a system call sees it. Pointers come from Python: any number, so that each is taken as unsigned. */
export interface Memory {
  /** Growing gives the memory a new buffer: neither of these is kept over a call that may grow it. */
  bytes(): Uint8Array;
  view(): DataView;
  /** A piece of it, to fill or to read. */
  piece(pointer: number, length: number): Uint8Array;
  /** The text of bytes that ends with a zero, one character a byte. */
  text(pointer: number): string;
  /** Writes such a text with its zero, cut to the room. */
  put(value: string, pointer: number, room: number): void;
  /** The first of a list of further arguments. */
  argument(pointer: number): number;
}

const textBytesMax = 8192;

export function createMemory(linear: () => { readonly buffer: ArrayBuffer }): Memory {
  let bytes = new Uint8Array(0);
  let view = new DataView(bytes.buffer);
  const refresh = (): void => {
    const { buffer } = linear();
    if (bytes.buffer === buffer) return;
    bytes = new Uint8Array(buffer);
    view = new DataView(buffer);
  };
  const memory: Memory = {
    bytes() {
      refresh();
      return bytes;
    },
    view() {
      refresh();
      return view;
    },
    piece(pointer, length) {
      const start = pointer >>> 0;
      return memory.bytes().subarray(start, start + (length >>> 0));
    },
    text(pointer) {
      const start = pointer >>> 0;
      const end = memory.bytes().indexOf(0, start);
      if (end < 0) throw new SystemCallFailure(errno.invalid);
      if (end - start > textBytesMax) throw new SystemCallFailure(errno.nameTooLong);
      return String.fromCharCode(...bytes.subarray(start, end));
    },
    put(value, pointer, room) {
      const length = Math.min(value.length, room - 1);
      const target = memory.piece(pointer, length + 1);
      for (let index = 0; index < length; index++) target[index] = value.charCodeAt(index);
      target[length] = 0;
    },
    argument: (pointer) => (pointer === 0 ? 0 : memory.view().getInt32(pointer >>> 0, true)),
  };
  return memory;
}
