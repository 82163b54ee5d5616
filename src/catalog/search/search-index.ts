import { createPostings, type Postings } from "./postings.ts";
import { numberOf, packed, placesOf, type SearchDigest } from "./search-digest.ts";
import { type LibraryText, lengthOf, placeNames, places } from "./search-text.ts";
import { stem } from "./words.ts";

/** How well each tool fits, by its number: from 0, for not at all, to 1. */
export interface Scores {
  readonly values: Float64Array;
  /** How many fit. */
  found: number;
}

export function createScores(size: number): Scores {
  return { values: new Float64Array(size), found: 0 };
}

/** What the index holds of a digest. */
type IndexedWords = Pick<SearchDigest, "names" | "lengths" | "words" | "counts" | "postings">;

/** An inverted index over numbered tools. How well a tool fits a word is computed as in BM25F. */
export interface SearchIndex {
  /** The next tool that is added gets this number. */
  readonly size: number;
  /** Adds the tools of a library, in the order of the digest. One that is left out gets a number too, and is never found. */
  add(digest: IndexedWords, library: LibraryText, isLeftOut: (tool: number) => boolean): void;
  /** Takes out the tools at whose number there is a 1; the others move up. */
  remove(gone: Uint8Array): void;
  isKnown(word: string): boolean;
  /** Raises the scores of the tools that have the word, or another form of it, to `share` of how well they fit. */
  lookUp(word: string, scores: Scores, share?: number): void;
  /** Also those with longer words that begin with it; where there are none, those with a word one slip away. */
  lookUpLoosely(word: string, scores: Scores): void;
  /** For each tool the highest rate of a word in its name or title. */
  rateNames(rate: (word: string) => number): Float64Array;
}

const lengthInfluence = 0.4;
const saturation = 4;
const otherFormFactor = 0.75;
const prefixFactor = 0.35;
const unknownPrefixFactor = 0.8;
const spellingFactor = 0.6;

const placeCount = placeNames.length;
const nameBit = 1 << placeNames.indexOf("name");
const serverPlace = placeNames.indexOf("server");
const serverTextPlace = placeNames.indexOf("serverText");
const placeWeights = placeNames.map((name) => places[name].weight);
const usualLengths = placeNames.map((name) => places[name].usualLength);

export function createSearchIndex(): SearchIndex {
  const postings = createPostings();
  let size = 0;
  /** How many words each tool has in each place; there is room for more. */
  let lengths: Uint16Array = new Uint16Array(0);
  const words = createWordLookup(postings, (place) => lengths[place] ?? 0);
  return {
    ...words,
    get size() {
      return size;
    },
    add(digest, library, isLeftOut) {
      addPostings(postings, digest, library, { first: size, isLeftOut });
      lengths = withRoom(lengths, size * placeCount + digest.lengths.length);
      lengths.set(digest.lengths, size * placeCount);
      for (const end = size + digest.names.length; size < end; size++) {
        lengths[size * placeCount + serverPlace] = lengthOf(library.server);
        lengths[size * placeCount + serverTextPlace] = lengthOf(library.serverText);
      }
    },
    remove(gone) {
      let kept = 0;
      const numbers = Int32Array.from(gone, (isGone) => (isGone ? -1 : kept++));
      for (const [before, now] of numbers.entries()) {
        if (now >= 0) lengths.copyWithin(now * placeCount, before * placeCount, (before + 1) * placeCount);
      }
      size = kept;
      postings.renumber(numbers);
    },
    rateNames(rate) {
      const rates = new Float64Array(size);
      for (const word of postings.startingWith("")) {
        const own = rate(word);
        if (own === 0) continue;
        for (const posting of postings.of(word)) {
          if (placesOf(posting) & nameBit) rates[numberOf(posting)] = Math.max(own, rates[numberOf(posting)] ?? 0);
        }
      }
      return rates;
    },
  };
}

/** Scores by words. `lengthAt` is how many words a tool has in a place, by the tool's number times the places plus the place's. */
function createWordLookup(
  postings: Postings,
  lengthAt: (position: number) => number,
): Pick<SearchIndex, "isKnown" | "lookUp" | "lookUpLoosely"> {
  /** Stems differ from the words they come from in the last letter at most. */
  function formsOf(word: string): string[] {
    const own = stem(word);
    const start = own.length < 3 ? own : own.slice(0, -1);
    return postings.startingWith(start).filter((other) => stem(other) === own);
  }

  /** Of a word in the places where a tool has it: the more it has to say there, the less each word counts. */
  function weightOf(posting: number): number {
    const first = numberOf(posting) * placeCount;
    let weight = 0;
    for (let left = placesOf(posting), place = 0; left > 0; left >>= 1, place++) {
      if ((left & 1) === 0) continue;
      const length = (lengthInfluence * lengthAt(first + place)) / (usualLengths[place] ?? 1);
      weight += (placeWeights[place] ?? 0) / (1 - lengthInfluence + length);
    }
    return weight;
  }

  function raise(scores: Scores, word: string, factor: number, share = 1): void {
    const { values } = scores;
    for (const posting of postings.of(word)) {
      const weight = weightOf(posting);
      const score = ((factor * weight) / (weight + saturation)) * share;
      const tool = numberOf(posting);
      const before = values[tool] ?? 0;
      if (score <= before) continue;
      if (before === 0) scores.found++;
      values[tool] = score;
    }
  }

  const lookUp: SearchIndex["lookUp"] = (word, scores, share = 1) => {
    for (const form of formsOf(word)) raise(scores, form, form === word ? 1 : otherFormFactor, share);
  };
  return {
    isKnown: (word) => formsOf(word).length > 0,
    lookUp,
    lookUpLoosely(word, scores) {
      lookUp(word, scores);
      const start = stem(word);
      if (start.length >= 3) {
        const factor = scores.found > 0 ? prefixFactor : unknownPrefixFactor;
        for (const longer of postings.startingWith(start)) {
          raise(scores, longer, (factor * start.length) / longer.length);
        }
      }
      // A slip is rarely in the first letter, and short words that differ there are others: mount is not count.
      for (const [start, shortest] of [[word.slice(0, 1), 5] as const, ["", 7] as const]) {
        if (scores.found > 0 || word.length < shortest) break;
        for (const other of postings.startingWith(start)) {
          if (isSlip(word, other)) raise(scores, other, spellingFactor);
        }
      }
    },
  };
}

/** The same numbers, with room for so many: twice as many as before, so that this is rarely needed. */
function withRoom(numbers: Uint16Array, wanted: number): Uint16Array {
  if (numbers.length >= wanted) return numbers;
  const larger = new Uint16Array(Math.max(wanted, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}

interface Numbering {
  /** The number of the first tool. */
  readonly first: number;
  isLeftOut(tool: number): boolean;
}

function addPostings(postings: Postings, digest: IndexedWords, library: LibraryText, numbering: Numbering): void {
  const { first, isLeftOut } = numbering;
  const ofLibrary = libraryPlaces(library);
  /** The tools' own places of the words that the library has too. */
  const ownPlaces = new Map<string, Uint8Array>();
  const leftOut = Uint8Array.from(digest.names, (_, tool) => (isLeftOut(tool) ? 1 : 0));
  let at = 0;
  for (let position = 0; position < digest.words.length; position++) {
    const word = digest.words[position] ?? "";
    const end = at + (digest.counts[position] ?? 0);
    const own = ofLibrary.has(word) ? new Uint8Array(digest.names.length) : undefined;
    if (own) ownPlaces.set(word, own);
    let list: number[] | undefined;
    for (; at < end; at++) {
      const posting = digest.postings[at] ?? 0;
      if (own) own[numberOf(posting)] = placesOf(posting);
      else if (leftOut[numberOf(posting)] === 0) {
        list ??= postings.listFor(word);
        list.push(posting + packed(first, 0));
      }
    }
  }
  for (const [word, places] of ofLibrary) {
    const own = ownPlaces.get(word);
    for (const [tool, isOut] of leftOut.entries()) {
      if (!isOut) postings.listFor(word).push(packed(first + tool, places | (own?.[tool] ?? 0)));
    }
  }
}

/** The bits of the places where the words of a library stand, for all of its tools. */
function libraryPlaces({ server, serverText }: LibraryText): Map<string, number> {
  const bits = new Map<string, number>();
  for (const [place, words] of [server, serverText].entries()) {
    for (const word of words) bits.set(word, (bits.get(word) ?? 0) | (1 << (serverPlace + place)));
  }
  return bits;
}

/** Whether two words are one slip apart: a letter more, less or other, or two neighbours swapped. */
function isSlip(left: string, right: string): boolean {
  let start = 0;
  while (start < left.length && left[start] === right[start]) start++;
  let end = 0;
  while (end < left.length - start && end < right.length - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  const [mine, theirs] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  if (mine.length <= 1 && theirs.length <= 1) return true;
  return mine.length === 2 && theirs.length === 2 && mine[0] === theirs[1] && mine[1] === theirs[0];
}
