import type { LibraryTool } from "./name-lookup.ts";
import type { Library } from "./tool.ts";
import { nameWords } from "./words.ts";

const leastSimilarity = 0.25;
const maxQueryLength = 200;

/** The tools whose names look most like the query, best first; for a search that found nothing. */
export function similarNames(query: string, libraries: readonly Library[], most: number): LibraryTool[] {
  const asked = nameWords(query.slice(0, maxQueryLength)).map(pairsOf);
  return libraries
    .flatMap((library) => library.tools.map((tool) => ({ library, tool })))
    .map((entry) => ({ entry, similarity: similarityOf(asked, nameWords(entry.tool.name).map(pairsOf)) }))
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, most)
    .map(({ entry }) => entry);
}

/** That of the two words that are most alike. */
function similarityOf(asked: readonly ReadonlySet<string>[], name: readonly ReadonlySet<string>[]): number {
  return Math.max(0, ...asked.flatMap((left) => name.map((right) => shared(left, right))));
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
