import { withoutAccents } from "./words.ts";

/** What texts are about, as vectors: two that are about the same point the same way. */
export interface WordVectors {
  /** Of length 127, in whole numbers; all zeros where no word of the text is known. */
  of(text: string): Int8Array;
}

/** How many numbers a vector has. */
export const dimensions = 256;
const unit = 127;
const longestWord = 40;
/** Longer texts are about their beginning. */
const mostPieces = 128;

/** Reads what scripts/search-table/make.py wrote: vectors for the pieces of words; that of a text is their mean. */
export function readWordVectors(bytes: Uint8Array): WordVectors {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const start = 4 + view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, start))) as { readonly pieces: string };
  const pieces = new Map(header.pieces.split(" ").map((piece, row) => [piece, row]));
  const scales = Float32Array.from(pieces.values(), (row) => view.getFloat32(start + 4 * row, true));
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + start + pieces.size * 4, pieces.size * dimensions);
  return {
    of(text) {
      const sums = new Float64Array(dimensions);
      for (const row of piecesIn(text, pieces)) {
        const scale = scales[row] ?? 0;
        const first = row * dimensions;
        for (let at = 0; at < dimensions; at++) sums[at] = (sums[at] ?? 0) + (rows[first + at] ?? 0) * scale;
      }
      const length = Math.sqrt(sums.reduce((sum, value) => sum + value * value, 0));
      return Int8Array.from(sums, (value) => (length === 0 ? 0 : Math.round((value / length) * unit)));
    },
  };
}

/** How alike a vector is to the one that stands in `others` from `first` on: 1 for the same, about 0 for any two. */
export function likeness(vector: Int8Array, others: Int8Array, first: number): number {
  // Four sums of whole numbers: of all that was tried what V8 makes the fastest code of.
  let [sum, second, third, fourth] = [0, 0, 0, 0];
  for (let at = 0; at < dimensions; at += 4) {
    sum = (sum + Math.imul(vector[at] as number, others[first + at] as number)) | 0;
    second = (second + Math.imul(vector[at + 1] as number, others[first + at + 1] as number)) | 0;
    third = (third + Math.imul(vector[at + 2] as number, others[first + at + 2] as number)) | 0;
    fourth = (fourth + Math.imul(vector[at + 3] as number, others[first + at + 3] as number)) | 0;
  }
  return (sum + second + third + fourth) / (unit * unit);
}

/** The rows of the pieces of its words. A word is cut into the longest pieces that are known; one that has others is left out. */
function piecesIn(text: string, pieces: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  const spaced = text.replace(/(?<=[a-z0-9])(?=[A-Z])/g, " ");
  for (const word of withoutAccents(spaced)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? []) {
    if (word.length <= longestWord) found.push(...piecesOf(word, pieces));
    if (found.length >= mostPieces) break;
  }
  return found;
}

function piecesOf(word: string, pieces: ReadonlyMap<string, number>): number[] {
  const found: number[] = [];
  for (let start = 0; start < word.length; ) {
    let end = word.length;
    let row: number | undefined;
    while (end > start) {
      row = pieces.get(start === 0 ? word.slice(0, end) : `##${word.slice(start, end)}`);
      if (row !== undefined) break;
      end--;
    }
    if (row === undefined) return [];
    found.push(row);
    start = end;
  }
  return found;
}
