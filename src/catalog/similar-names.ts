import { nameWords } from "./words.ts";

const leastSimilarity = 0.25;
const maxQueryLength = 200;

/** The names of a server's tools. */
export interface ServerNames {
  readonly server: string;
  readonly names: readonly string[];
}

/** The tools whose names look most like the query, best first, each behind its server; for a search that found nothing. */
export function similarNames(query: string, servers: readonly ServerNames[], most: number): string[] {
  const asked = nameWords(query.slice(0, maxQueryLength)).map(pairsOf);
  // Many names have the same words.
  const known = new Map<string, number>();
  const similarityOf = (word: string): number => {
    let similarity = known.get(word);
    if (similarity === undefined) {
      const pairs = pairsOf(word);
      similarity = Math.max(0, ...asked.map((one) => shared(one, pairs)));
      known.set(word, similarity);
    }
    return similarity;
  };
  return servers
    .flatMap(({ server, names }) =>
      names.map((name) => ({ server, name, similarity: Math.max(0, ...nameWords(name).map(similarityOf)) })),
    )
    .filter(({ similarity }) => similarity >= leastSimilarity)
    .sort((left, right) => right.similarity - left.similarity)
    .slice(0, most)
    .map(({ server, name }) => `${server}.${name}`);
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
