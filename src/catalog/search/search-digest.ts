import { deserialize, serialize } from "node:v8";
import type { Tool } from "../tool.ts";
import { foldedNames } from "./name-lookup.ts";
import { aboutText, lengthOf, placeNames, type ToolText, toolPlaces, toolText } from "./search-text.ts";
import { dimensions, type WordVectors } from "./word-vectors.ts";

/** All that a search needs of the tools of one server, in the order of its list: it can be kept, and is read in no time. */
export interface SearchDigest {
  readonly names: readonly string[];
  readonly identifiers: readonly string[];
  /** See `foldedNames`. */
  readonly folded: string;
  /** How many words each tool has in each place. */
  readonly lengths: Uint16Array;
  /** Every word that some tool has. */
  readonly words: readonly string[];
  /** How many entries each word has in `postings`. */
  readonly counts: Uint16Array;
  /** See `packed`. */
  readonly postings: Uint32Array;
  /** What each tool is about, one vector behind the other; empty for a search by words alone. */
  readonly vectors: Int8Array;
}

/**
 * To be raised when digests are made differently: what was kept before is not used any more. The test beside this file tells
 * when that is due.
 */
const version = 3;

export function digestTools(tools: readonly Tool[], vectors?: WordVectors): SearchDigest {
  const names = tools.map(({ name }) => name);
  const identifiers = tools.map(({ identifier }) => identifier);
  const about = new Int8Array(vectors ? tools.length * dimensions : 0);
  if (vectors)
    for (const [number, tool] of tools.entries()) about.set(vectors.of(aboutText(tool)), number * dimensions);
  return {
    names,
    identifiers,
    folded: foldedNames(names, identifiers),
    ...digestTexts(tools.map(toolText)),
    vectors: about,
  };
}

export function digestTexts(
  texts: readonly ToolText[],
): Pick<SearchDigest, "lengths" | "words" | "counts" | "postings"> {
  const lengths = new Uint16Array(texts.length * placeNames.length);
  const postings = new Map<string, number[]>();
  for (const [number, text] of texts.entries()) {
    for (const [place, name] of toolPlaces.entries()) {
      const words = text[name];
      lengths[number * placeNames.length + place] = lengthOf(words);
      for (const word of words) addPosting(postings, word, number, 1 << place);
    }
  }
  const lists = [...postings.values()];
  return {
    lengths,
    words: [...postings.keys()],
    counts: Uint16Array.from(lists, ({ length }) => length),
    postings: Uint32Array.from(lists.flat()),
  };
}

/** The number of a tool, and the places where it has the word, a bit for each. */
export function packed(number: number, places: number): number {
  return number * 256 + places;
}

/** The number that was packed. */
export function numberOf(posting: number): number {
  return posting >>> 8;
}

/** The places that were packed. */
export function placesOf(posting: number): number {
  return posting & 255;
}

function addPosting(postings: Map<string, number[]>, word: string, number: number, place: number): void {
  const known = postings.get(word);
  const last = known?.at(-1);
  if (known === undefined || last === undefined) postings.set(word, [packed(number, place)]);
  else if (numberOf(last) === number) known[known.length - 1] = last | place;
  else known.push(packed(number, place));
}

interface PackedDigest extends Omit<SearchDigest, "words"> {
  readonly version: number;
  readonly words: string;
}

export function packDigest(digest: SearchDigest): Uint8Array {
  // One text is read far more quickly than many.
  return serialize({ ...digest, version, words: digest.words.join(" ") });
}

/** Undefined for what is none, or was made by another version. */
export function unpackDigest(bytes: Uint8Array | undefined): SearchDigest | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { version: made, words, ...digest } = deserialize(bytes) as PackedDigest;
    return made === version ? { ...digest, words: words === "" ? [] : words.split(" ") } : undefined;
  } catch {
    return undefined;
  }
}
