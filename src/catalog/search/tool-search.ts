import type { Library } from "../tool.ts";
import { nameStarts } from "./name-lookup.ts";
import { inEnglish } from "./query.ts";
import { type RankedLibrary, rankTools, type ToolMatches } from "./rank-tools.ts";
import type { SearchDigest } from "./search-digest.ts";
import { createSearchIndex } from "./search-index.ts";
import { libraryText } from "./search-text.ts";
import { nameSimilarity, similarityTo } from "./similar-names.ts";
import { clausesOf, scoreWords } from "./word-scores.ts";
import type { WordVectors } from "./word-vectors.ts";

/** A library that is searched, without the definitions of its tools. */
interface SearchedLibrary extends Pick<Library, "server" | "module" | "description"> {
  /** Of all tools of the server. */
  readonly digest: SearchDigest;
  /** Whether the configuration lets a tool be used. */
  isAllowed(tool: string): boolean;
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

interface Searched extends RankedLibrary {
  first: number;
}

/** Without vectors the search goes by words alone. */
export function createToolSearch(vectors?: () => WordVectors): ToolSearch {
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
      const leftOut = new Set([...digest.names.keys()].filter((tool) => !isAllowed(digest.names[tool] ?? "")));
      const starts = nameStarts({ server, module });
      const { names, identifiers, folded, vectors } = digest;
      const searched = { key, server, module, names, identifiers, folded, vectors, starts, leftOut };
      libraries.set(key, { ...searched, first: index.size });
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
      const searched = [...among].flatMap((key) => libraries.get(key) ?? []);
      const words = scoreWords(asked, index, count);
      const about = (text: string): Int8Array[] => (vectors ? [vectors().of(inEnglish(text, index.isKnown))] : []);
      return rankTools(searched, { query: asked, words, vectors: [asked, ...clausesOf(asked)].flatMap(about) }, limit);
    },
    similar(query, among, most) {
      const similarity = similarityTo(query);
      const highest = index.rateNames(similarity);
      const searched = [...among].flatMap((key) => libraries.get(key) ?? []);
      return mostSimilar(searched, highest, (name) => nameSimilarity(name, similarity), most);
    },
  };
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
