import { createNameLookup, type LibraryTool, type NameLookup } from "./name-lookup.ts";
import { readPattern } from "./pattern.ts";
import { concepts } from "./query.ts";
import { createSearchIndex, raise, type Scores, type SearchIndex } from "./search-index.ts";
import { patternTexts, searchText } from "./search-text.ts";
import type { Library } from "./tool.ts";

/** Tries a regular expression of a user on texts: see matchPattern. */
export type Match = (pattern: string, texts: readonly (readonly string[])[]) => Promise<readonly number[]>;

/** Ranked search over the tools of all libraries. */
export interface Search {
  /** By words, best first. `server` (name or module) keeps to one library; `total` is the number found, before the limit. */
  search(query: string, options?: SearchOptions): FoundTools;
  /** The same; a query written as `/…/` is a regular expression, which throws input_invalid where it is not a valid one. */
  find(query: string, match: Match, options?: SearchOptions): Promise<FoundTools>;
}

interface SearchOptions {
  readonly server?: string;
  readonly limit?: number;
}

interface FoundTools {
  readonly results: Found[];
  readonly total: number;
}

interface Found extends LibraryTool {
  readonly score: number;
}

const maxQueryLength = 1_000;
const defaultLimit = 20;
const synonymFactor = 0.5;
/** What scores below this share of the best is noise. */
const noiseShare = 0.15;
/** From its fourth result on, each of a server's results loses this much more, so that no server fills the list alone. */
const crowdFactor = 0.9;
const uncrowded = 3;

/** The index is built by the first search. */
export function createSearch(libraries: readonly Library[]): Search {
  const entries = libraries.flatMap((library, server) => library.tools.map((tool) => ({ library, tool, server })));
  let built: { index: SearchIndex; names: NameLookup } | undefined;
  const isOf = (server: string | undefined) => {
    return ({ library }: LibraryTool) => [undefined, library.server, library.module].includes(server);
  };
  const search: Search["search"] = (query, { server, limit = defaultLimit } = {}) => {
    const isAsked = isOf(server);
    built ??= { index: createSearchIndex(searchTexts(entries)), names: createNameLookup(entries) };
    const asked = query.slice(0, maxQueryLength);
    const named = built.names.named(asked);
    const scores = scoreTools(asked, built.index, entries.length);
    const candidates: Candidate[] = [];
    for (const number of new Set([...named.keys(), ...scores.keys()])) {
      const entry = entries[number];
      if (entry && isAsked(entry)) {
        candidates.push({ ...entry, named: named.get(number) ?? 0, score: scores.get(number) ?? 0 });
      }
    }
    const results = rank(candidates);
    return { results: results.slice(0, limit), total: results.length };
  };
  return {
    search,
    async find(query, match, options = {}) {
      const pattern = readPattern(query);
      if (pattern === undefined) return search(query, options);
      const results = await matchTools(pattern, match, entries.filter(isOf(options.server)));
      return { results: results.slice(0, options.limit ?? defaultLimit), total: results.length };
    },
  };
}

/** By where the pattern fits first: the name, the title and description, the parameters. */
async function matchTools(pattern: string, match: Match, entries: readonly LibraryTool[]): Promise<Found[]> {
  const texts = entries.map(({ library, tool }) => patternTexts(library, tool));
  const places = await match(pattern, texts);
  return entries
    .flatMap(({ library, tool }, number) => {
      const place = places[number] ?? -1;
      return place < 0 ? [] : [{ library, tool, score: 1 / (place + 1) }];
    })
    .sort((left, right) => right.score - left.score);
}

function* searchTexts(entries: readonly LibraryTool[]) {
  for (const { library, tool } of entries) yield searchText(library, tool);
}

/** How well each tool answers: rare words weigh more, and so does answering more of what was asked. */
function scoreTools(query: string, index: SearchIndex, count: number): Scores {
  const sums: Scores = new Map();
  const answered: Scores = new Map();
  let asked = 0;
  for (const { word, alternatives } of concepts(query, index.isKnown)) {
    const best = index.lookUpLoosely(word);
    const owners = best.size;
    for (const alternative of alternatives) raise(best, index.lookUp(alternative), synonymFactor);
    // By the asker's own word: common synonyms do not make a rare one count less.
    const rarity = Math.log((count + 1) / ((owners || best.size) + 0.5));
    if (best.size > 0) asked += rarity;
    for (const [tool, fit] of best) {
      sums.set(tool, (sums.get(tool) ?? 0) + fit * rarity);
      answered.set(tool, (answered.get(tool) ?? 0) + rarity);
    }
  }
  for (const [tool, sum] of sums) sums.set(tool, sum * Math.sqrt((answered.get(tool) ?? 0) / asked));
  return sums;
}

interface Candidate extends Found {
  /** The position of its server. */
  readonly server: number;
  readonly named: 0 | 1 | 2;
}

/** Tools that are called by name come first, then by score; no server takes all places, and noise is left out. */
function rank(candidates: readonly Candidate[]): Found[] {
  const sorted = candidates.toSorted(compare);
  const best = sorted[0]?.score ?? 0;
  const seen = new Map<number, number>();
  return sorted
    .filter(({ named, score }) => named > 0 || score >= best * noiseShare)
    .map((candidate) => {
      const before = seen.get(candidate.server) ?? 0;
      seen.set(candidate.server, before + 1);
      const crowd = crowdFactor ** Math.max(0, before - uncrowded + 1);
      return { ...candidate, score: candidate.score * crowd + candidate.named * (best + 1) };
    })
    .sort(compare)
    .map(({ library, tool, score }) => ({ library, tool, score }));
}

function compare(left: Candidate, right: Candidate): number {
  return right.score - left.score || left.server - right.server || (left.tool.name < right.tool.name ? -1 : 1);
}
