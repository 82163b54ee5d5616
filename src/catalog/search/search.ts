import { readPattern } from "../pattern.ts";
import type { Library, Tool } from "../tool.ts";
import { digestTools } from "./search-digest.ts";
import { patternTexts } from "./search-text.ts";
import { createToolSearch, type ToolSearch } from "./tool-search.ts";
import type { WordVectors } from "./word-vectors.ts";

/** Tries a regular expression of a user on texts: see matchPattern. */
export type Match = (pattern: string, texts: readonly (readonly string[])[]) => Promise<readonly number[]>;

/** Ranked search over the tools of all libraries. */
export interface Search {
  /** By words, best first. `server` (name or module) keeps to one library; `total` is the number found, before the limit. */
  search(query: string, options?: SearchOptions): FoundTools;
  /** The same; a query written as `/…/` is a regular expression, which throws input_invalid where it is not a valid one. */
  find(query: string, match: Match, options?: SearchOptions): Promise<FoundTools>;
}

export interface SearchOptions {
  readonly server?: string;
  readonly limit?: number;
}

export interface FoundTools {
  readonly results: FoundTool[];
  readonly total: number;
  /** Whether none of them answers what was asked. */
  readonly isWeak?: boolean;
  /** The names of the other tools of the first servers found, and how many more they have. */
  readonly also?: readonly { readonly server: string; readonly names: readonly string[] }[];
  readonly alsoLeftOut?: number;
}

interface FoundTool {
  readonly library: Library;
  readonly tool: Tool;
  readonly score: number;
}

export const defaultLimit = 20;

/** The index is built by the first search. */
export function createSearch(libraries: readonly Library[], vectors?: () => WordVectors): Search {
  let built: ToolSearch | undefined;
  const keysOf = (server: string | undefined) =>
    [...libraries.keys()].filter((key) => {
      return [undefined, libraries[key]?.server, libraries[key]?.module].includes(server);
    });
  const search: Search["search"] = (query, { server, limit = defaultLimit } = {}) => {
    built ??= indexed(libraries, vectors);
    const { matches, total, isWeak, ...named } = built.search(query, keysOf(server).map(String), limit);
    const results = matches.flatMap(({ key, position, score }) => {
      const library = libraries[Number(key)];
      const tool = library?.tools[position];
      return library && tool ? [{ library, tool, score }] : [];
    });
    const also = named.also.map(({ key, names }) => ({ server: libraries[Number(key)]?.server ?? "", names }));
    return { results, total, isWeak, also, alsoLeftOut: named.alsoLeftOut };
  };
  return {
    search,
    async find(query, match, options = {}) {
      const pattern = readPattern(query);
      if (pattern === undefined) return search(query, options);
      const asked = keysOf(options.server).flatMap((key) => libraries[key] ?? []);
      const results = await matchTools(pattern, match, asked);
      return { results: results.slice(0, options.limit ?? defaultLimit), total: results.length };
    },
  };
}

function indexed(libraries: readonly Library[], vectors?: () => WordVectors): ToolSearch {
  const search = createToolSearch(vectors);
  for (const [key, library] of libraries.entries()) {
    search.put(String(key), { ...library, digest: digestTools(library.tools, vectors?.()), isAllowed: () => true });
  }
  return search;
}

/** By where the pattern fits first: the name, the title and description, the parameters. */
async function matchTools(pattern: string, match: Match, libraries: readonly Library[]): Promise<FoundTool[]> {
  const entries = libraries.flatMap((library) => library.tools.map((tool) => ({ library, tool })));
  const texts = entries.map(({ library, tool }) => patternTexts(library.server, tool));
  const places = await match(pattern, texts);
  return entries
    .flatMap((entry, number) => {
      const place = places[number] ?? -1;
      return place < 0 ? [] : [{ ...entry, score: 1 / (place + 1) }];
    })
    .sort((left, right) => right.score - left.score);
}
