import { type Place, placeNames, places, type SearchText } from "./search-text.ts";
import { stem } from "./words.ts";

/** By the number of a text. */
export type Scores = Map<number, number>;

/** An inverted index over numbered texts. How well a text fits a word is a number from 0 to 1, as in BM25F. */
export interface SearchIndex {
  isKnown(word: string): boolean;
  /** The texts that have the word, or another form of it. */
  lookUp(word: string): Scores;
  /** Also those with longer words that begin with it; where there are none, those with a word one slip away. */
  lookUpLoosely(word: string): Scores;
}

const lengthInfluence = 0.4;
const saturation = 4;
const otherFormFactor = 0.75;
const prefixFactor = 0.35;
const unknownPrefixFactor = 0.8;
const spellingFactor = 0.6;

export function createSearchIndex(texts: Iterable<SearchText>): SearchIndex {
  const postings = collectPostings(texts);
  const vocabulary = [...postings.keys()].sort();

  /** Stems differ from the words they come from in the last letter at most. */
  function formsOf(word: string): string[] {
    const own = stem(word);
    const start = own.length < 3 ? own : own.slice(0, -1);
    return startingWith(vocabulary, start).filter((other) => stem(other) === own);
  }

  function add(scores: Scores, word: string, factor: number): void {
    for (const { text, weight } of postings.get(word) ?? []) {
      const score = (factor * weight) / (weight + saturation);
      if (score > (scores.get(text) ?? 0)) scores.set(text, score);
    }
  }

  function lookUp(word: string): Scores {
    const scores: Scores = new Map();
    for (const form of formsOf(word)) add(scores, form, form === word ? 1 : otherFormFactor);
    return scores;
  }

  return {
    isKnown: (word) => formsOf(word).length > 0,
    lookUp,
    lookUpLoosely(word) {
      const scores = lookUp(word);
      const start = stem(word);
      if (start.length >= 3) {
        const factor = scores.size > 0 ? prefixFactor : unknownPrefixFactor;
        for (const longer of startingWith(vocabulary, start))
          add(scores, longer, (factor * start.length) / longer.length);
      }
      // A slip is rarely in the first letter, and short words that differ there are others: mount is not count.
      for (const [start, shortest] of [[word.slice(0, 1), 5] as const, ["", 7] as const]) {
        if (scores.size > 0 || word.length < shortest) break;
        for (const other of startingWith(vocabulary, start)) {
          if (isSlip(word, other)) add(scores, other, spellingFactor);
        }
      }
      return scores;
    },
  };
}

/** Raises each score to that of `others` times `factor` where that is higher. */
export function raise(scores: Scores, others: Scores, factor: number): void {
  for (const [text, score] of others) {
    if (score * factor > (scores.get(text) ?? 0)) scores.set(text, score * factor);
  }
}

interface Posting {
  readonly text: number;
  weight: number;
  /** Where the word was seen last: saying it again in the same place does not help. */
  place: Place;
}

function collectPostings(texts: Iterable<SearchText>): Map<string, Posting[]> {
  const postings = new Map<string, Posting[]>();
  let text = 0;
  for (const words of texts) {
    for (const place of placeNames) addPlace(postings, text, place, words[place]);
    text++;
  }
  return postings;
}

function addPlace(postings: Map<string, Posting[]>, text: number, place: Place, words: readonly string[]): void {
  const { weight: whole, usualLength } = places[place];
  const weight = whole / (1 - lengthInfluence + (lengthInfluence * words.length) / usualLength);
  for (const word of words) {
    const known = postings.get(word);
    const last = known?.at(-1);
    if (!known) postings.set(word, [{ text, weight, place }]);
    else if (last?.text !== text) known.push({ text, weight, place });
    else if (last.place !== place) {
      last.weight += weight;
      last.place = place;
    }
  }
}

function startingWith(sorted: readonly string[], prefix: string): string[] {
  let start = 0;
  for (let end = sorted.length; start < end; ) {
    const middle = (start + end) >> 1;
    if ((sorted[middle] ?? "") < prefix) start = middle + 1;
    else end = middle;
  }
  let end = start;
  while (sorted[end]?.startsWith(prefix)) end++;
  return sorted.slice(start, end);
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
