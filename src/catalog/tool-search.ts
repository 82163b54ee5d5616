import { type NamedLibrary, type NameQuery, namedTools, nameQuery, nameStarts } from "./name-lookup.ts";
import { concepts } from "./query.ts";
import type { SearchDigest } from "./search-digest.ts";
import { createScores, createSearchIndex, type SearchIndex } from "./search-index.ts";
import { libraryText } from "./search-text.ts";
import { nameSimilarity, similarityTo } from "./similar-names.ts";
import type { Library } from "./tool.ts";

/** A library that is searched, without the definitions of its tools. */
interface SearchedLibrary extends Pick<Library, "server" | "module" | "description"> {
  /** Of all tools of the server. */
  readonly digest: SearchDigest;
  /** Whether the configuration lets a tool be used. */
  isAllowed(tool: string): boolean;
}

/** A tool that was found. */
export interface ToolMatch {
  /** That of its library. */
  readonly key: string;
  readonly name: string;
  readonly identifier: string;
  /** Its position in the list of its server. */
  readonly position: number;
  readonly score: number;
}

export interface ToolMatches {
  /** Best first. */
  readonly matches: ToolMatch[];
  /** The number found, before the limit. */
  readonly total: number;
}

/** Ranked search over the tools of libraries, each of which can be put in, replaced and taken out by its key. */
export interface ToolSearch {
  put(key: string, library: SearchedLibrary): void;
  drop(keys: Iterable<string>): void;
  has(key: string): boolean;
  /** The names of a library's tools that may be used, in the order of the server's list. */
  names(key: string): readonly string[];
  /** By words. Only in the libraries of these keys; equal tools are in the order of those. */
  search(query: string, among: Iterable<string>, limit: number): ToolMatches;
  /** The tools whose names look most like the query, best first; for a search that found nothing. */
  similar(query: string, among: Iterable<string>, most: number): SimilarTool[];
}

interface SimilarTool {
  /** That of its library. */
  readonly key: string;
  readonly name: string;
}

const maxQueryLength = 1_000;
const synonymFactor = 0.5;
/** What scores below this share of the best is noise. */
const noiseShare = 0.15;
/** From its fourth result on, each of a server's results loses this much more, so that no server fills the list alone. */
const crowdFactor = 0.9;
const uncrowded = 3;

/** A library in the index: its tools have the numbers from `first` on. */
interface Searched extends NamedLibrary {
  readonly key: string;
  readonly leftOut: ReadonlySet<number>;
  first: number;
}

export function createToolSearch(): ToolSearch {
  const index = createSearchIndex();
  /** In the order of their numbers. */
  const libraries = new Map<string, Searched>();

  const drop: ToolSearch["drop"] = (keys) => {
    const gone = [...new Set(keys)].flatMap((key) => libraries.get(key) ?? []);
    if (gone.length === 0) return;
    const isGone = new Uint8Array(index.size);
    for (const { key, first, names } of gone) {
      isGone.fill(1, first, first + names.length);
      libraries.delete(key);
    }
    index.remove(isGone);
    let first = 0;
    for (const library of libraries.values()) {
      library.first = first;
      first += library.names.length;
    }
  };
  return {
    put(key, { server, module, description, digest, isAllowed }) {
      drop([key]);
      const { names, identifiers, folded } = digest;
      const leftOut = new Set([...names.keys()].filter((tool) => !isAllowed(names[tool] ?? "")));
      const starts = nameStarts({ server, module });
      libraries.set(key, { key, server, module, names, identifiers, folded, starts, leftOut, first: index.size });
      index.add(digest, libraryText({ server, description }), (tool) => leftOut.has(tool));
    },
    drop,
    has: (key) => libraries.has(key),
    names(key) {
      const library = libraries.get(key);
      return library?.names.filter((_, tool) => !library.leftOut.has(tool)) ?? [];
    },
    search(query, among, limit) {
      const asked = query.slice(0, maxQueryLength);
      let count = index.size;
      for (const { leftOut } of libraries.values()) count -= leftOut.size;
      const scores = scoreTools(asked, index, count);
      return rank(
        [...among].flatMap((key) => libraries.get(key) ?? []),
        scores,
        asked,
        limit,
      );
    },
    similar(query, among, most) {
      const similarity = similarityTo(query);
      const highest = index.rateNames(similarity);
      const searched = [...among].flatMap((key) => libraries.get(key) ?? []);
      return mostSimilar(searched, highest, (name) => nameSimilarity(name, similarity), most);
    },
  };
}

/** How well each tool answers: rare words weigh more, and so does answering more of what was asked. */
function scoreTools(query: string, index: SearchIndex, count: number): Float64Array {
  const { size } = index;
  const sums = new Float64Array(size);
  const answered = new Float64Array(size);
  const best = createScores(size);
  let asked = 0;
  for (const { word, alternatives } of concepts(query, index.isKnown)) {
    best.values.fill(0);
    best.found = 0;
    index.lookUpLoosely(word, best);
    const owners = best.found;
    for (const alternative of alternatives) index.lookUp(alternative, best, synonymFactor);
    // By the asker's own word: common synonyms do not make a rare one count less.
    const rarity = Math.log((count + 1) / ((owners || best.found) + 0.5));
    if (best.found > 0) asked += rarity;
    for (let tool = 0; tool < size; tool++) {
      const fit = best.values[tool] ?? 0;
      if (fit === 0) continue;
      sums[tool] = (sums[tool] ?? 0) + fit * rarity;
      answered[tool] = (answered[tool] ?? 0) + rarity;
    }
  }
  return sums.map((sum, tool) => (sum === 0 ? 0 : sum * Math.sqrt((answered[tool] ?? 0) / asked)));
}

interface Candidate {
  readonly library: Searched;
  /** The position of its library among those that are searched. */
  readonly order: number;
  readonly tool: number;
  readonly name: string;
  readonly named: 0 | 1 | 2;
  score: number;
}

/** Tools that are called by name come first, then by score; no server takes all places, and noise is left out. */
function rank(libraries: readonly Searched[], scores: Float64Array, query: string, limit: number): ToolMatches {
  const names = nameQuery(query);
  let best = 0;
  for (const { first, names } of libraries) {
    for (let number = first; number < first + names.length; number++) best = Math.max(best, scores[number] ?? 0);
  }
  const candidates: Candidate[] = [];
  for (const [order, library] of libraries.entries()) {
    const fitting = fittingTools(library, order, { scores, least: best * noiseShare, names }).sort(compare);
    for (const [before, candidate] of fitting.entries()) {
      const crowd = crowdFactor ** Math.max(0, before - uncrowded + 1);
      candidate.score = candidate.score * crowd + candidate.named * (best + 1);
      candidates.push(candidate);
    }
  }
  const matches = firstOf(candidates, limit).map(({ library, tool, name, score }) => {
    return { key: library.key, name, identifier: library.identifiers[tool] ?? name, position: tool, score };
  });
  return { matches, total: candidates.length };
}

function fittingTools(
  library: Searched,
  order: number,
  { scores, least, names }: { readonly scores: Float64Array; readonly least: number; readonly names: NameQuery },
): Candidate[] {
  const calledSo = namedTools(library, names);
  const fitting: Candidate[] = [];
  for (let tool = 0; tool < library.names.length; tool++) {
    const score = scores[library.first + tool] ?? 0;
    const named = calledSo?.get(tool) ?? 0;
    if ((named > 0 && !library.leftOut.has(tool)) || (score > 0 && score >= least)) {
      fitting.push({ library, order, tool, name: library.names[tool] ?? "", named, score });
    }
  }
  return fitting;
}

/** The best of them. Numbers are sorted far more quickly than candidates, so only those are that can be among the best. */
function firstOf(candidates: readonly Candidate[], limit: number): Candidate[] {
  const scores = Float64Array.from(candidates, ({ score }) => score).sort();
  const least = scores.at(-limit) ?? 0;
  return candidates
    .filter(({ score }) => score >= least)
    .sort(compare)
    .slice(0, limit);
}

function compare(left: Candidate, right: Candidate): number {
  return right.score - left.score || left.order - right.order || (left.name < right.name ? -1 : 1);
}

/**
 * `highest` is the most that the similarity of each tool can be, since it is also that of the words in its title. Those for which it
 * is highest are looked at first, and the others not at all once there are enough.
 */
function mostSimilar(
  libraries: readonly Searched[],
  highest: Float64Array,
  similarityOf: (name: string) => number,
  most: number,
): SimilarTool[] {
  const byHighest = new Map<number, (SimilarTool & { readonly order: number })[]>();
  let order = 0;
  for (const { key, first, names, leftOut } of libraries) {
    for (let tool = 0; tool < names.length; tool++, order++) {
      const bound = highest[first + tool] ?? 0;
      if (bound === 0 || leftOut.has(tool)) continue;
      const one = { key, name: names[tool] ?? "", order };
      const equal = byHighest.get(bound);
      if (equal) equal.push(one);
      else byHighest.set(bound, [one]);
    }
  }
  const found: (SimilarTool & { readonly order: number; readonly similarity: number })[] = [];
  for (const [bound, tools] of [...byHighest].sort(([left], [right]) => right - left)) {
    if (found.filter(({ similarity }) => similarity > bound).length >= most) break;
    for (const tool of tools) found.push({ ...tool, similarity: similarityOf(tool.name) });
  }
  return found
    .filter(({ similarity }) => similarity > 0)
    .sort((left, right) => right.similarity - left.similarity || left.order - right.order)
    .slice(0, most);
}
