import { nameWords } from "./words.ts";

const leastSimilarity = 0.25;
const maxQueryLength = 200;

/** How much a word looks like one of the words of a query, from 0 to 1; 0 where it hardly does. */
export function similarityTo(query: string): (word: string) => number {
  const asked = nameWords(query.slice(0, maxQueryLength)).map(pairsOf);
  const known = new Map<string, number>();
  return (word) => {
    let similarity = known.get(word);
    if (similarity === undefined) {
      const pairs = pairsOf(word);
      const most = Math.max(0, ...asked.map((one) => shared(one, pairs)));
      similarity = most < leastSimilarity ? 0 : most;
      known.set(word, similarity);
    }
    return similarity;
  };
}

/** That of the words that are most alike. */
export function nameSimilarity(name: string, similarity: (word: string) => number): number {
  return Math.max(0, ...nameWords(name).map(similarity));
}

/** Dice's coefficient: twice what both have, of all that they have. */
function shared(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let common = 0;
  for (const pair of left) if (right.has(pair)) common++;
  return (2 * common) / (left.size + right.size || 1);
}

function pairsOf(word: string): ReadonlySet<string> {
  const marked = `^${word}`;
  return new Set(Array.from({ length: marked.length - 1 }, (_, start) => marked.slice(start, start + 2)));
}
