import { numberOf, packed, placesOf } from "./search-digest.ts";

/** For each word the texts that have it, packed. */
export interface Postings {
  of(word: string): readonly number[];
  /** The words that start like that, in alphabetical order. */
  startingWith(prefix: string): readonly string[];
  /** The list of the word, to be added to at once: a word is known from then on. */
  listFor(word: string): number[];
  /** Gives every text the number that stands at its old one; those with -1 there are gone. */
  renumber(numbers: Int32Array): void;
}

const none: readonly number[] = [];

export function createPostings(): Postings {
  const byWord = new Map<string, number[]>();
  let sorted: string[] = [];
  let added: string[] = [];

  /** What is sorted already is gone through in no time. */
  const vocabulary = (): readonly string[] => {
    if (added.length > 0) sorted = [...sorted, ...added.sort()].sort();
    added = [];
    return sorted;
  };
  return {
    of: (word) => byWord.get(word) ?? none,
    listFor(word) {
      let list = byWord.get(word);
      if (list === undefined) {
        list = [];
        byWord.set(word, list);
        added.push(word);
      }
      return list;
    },
    startingWith(prefix) {
      const words = vocabulary();
      const start = firstFrom(words, prefix);
      let end = start;
      while (words[end]?.startsWith(prefix)) end++;
      return words.slice(start, end);
    },
    renumber(numbers) {
      for (const [word, postings] of byWord) {
        let kept = 0;
        for (const posting of postings) {
          const number = numbers[numberOf(posting)] ?? -1;
          if (number >= 0) postings[kept++] = packed(number, placesOf(posting));
        }
        postings.length = kept;
        if (kept === 0) byWord.delete(word);
      }
      sorted = vocabulary().filter((word) => byWord.has(word));
    },
  };
}

/** Where the first word stands that does not come before this one. */
function firstFrom(words: readonly string[], wanted: string): number {
  let start = 0;
  for (let end = words.length; start < end; ) {
    const middle = (start + end) >> 1;
    if ((words[middle] ?? "") < wanted) start = middle + 1;
    else end = middle;
  }
  return start;
}
