import { type AlsoNamed, alsoNamed, noneNamed } from "./also-named.ts";
import { isAskedByName, type NamedLibrary, namedTools, nameQuery } from "./name-lookup.ts";
import type { WordScores } from "./word-scores.ts";
import { dimensions, likeness } from "./word-vectors.ts";

/** A library whose tools are ranked. They have the numbers from `first` on. */
export interface RankedLibrary extends NamedLibrary {
  readonly key: string;
  readonly first: number;
  /** Tools that the configuration leaves out, by position. */
  readonly leftOut: ReadonlySet<number>;
  /** What its tools are about, one vector behind the other. */
  readonly vectors: Int8Array;
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

export interface ToolMatches extends AlsoNamed {
  /** Best first. */
  readonly matches: ToolMatch[];
  /** The number found, before the limit. */
  readonly total: number;
  /** Whether none of them answers what was asked: they are only the nearest. */
  readonly isWeak: boolean;
}

export interface Asked {
  readonly query: string;
  readonly words: WordScores;
  /** What the query is about, and each of its sentences; without them, words alone count. */
  readonly vectors: readonly Int8Array[];
}

/** What scores below this share of the best is noise. */
const noiseShare = 0.15;
/** Two rankings become one by the places that a tool has in them: by its words, and by what it is about. */
const placeOffset = 5;
const aboutWeight = 0.7;
/** And by how far its words are ahead: places alone do not tell. */
const wordsWeight = 0.1;
const mostPlaces = 200;
const mostAbout = 20;
/** What is less alike than this is not found by what it is about alone. */
const leastLikeness = 0.3;
/** The best answer has this much in common with a question of few words: likeness, and the share of the words that it answers. */
const goodMatch = 0.45;
const goodByWords = 0.1;
const fewWords = 10;
/** So many behind those that are shown are looked at for their names. */
const mostNamed = 200;

interface Candidate {
  readonly library: RankedLibrary;
  /** The position of its library among those that are searched. */
  readonly order: number;
  readonly tool: number;
  readonly name: string;
  readonly named: 0 | 1 | 2;
  readonly byWords: number;
  readonly likeness: number;
  score: number;
}

/** Tools that are called by name come first, and alone if nothing else was asked for; then the others, noise left out. */
export function rankTools(libraries: readonly RankedLibrary[], asked: Asked, limit: number): ToolMatches {
  const candidates = candidatesIn(libraries, asked);
  const named = candidates.filter((candidate) => candidate.named > 0);
  if (named.length > 0 && isAskedByName(asked.query, named))
    return matched(
      topBy(named, named.length, ({ score }) => score),
      limit,
    );
  if (asked.vectors.length > 0) fuse(candidates);
  const ranked = topBy(candidates, limit + mostNamed, ({ score }) => score);
  const shown = notAllOfOne(ranked, limit);
  if (named.length === 0 && isWeak(shown, asked)) return { ...matched(shown, limit), isWeak: true };
  return { ...matched(shown, limit), total: candidates.length, ...alsoNamed(shown, ranked) };
}

/** With so few, each place counts. */
const fewShown = 5;

/** The first of them. A server whose tools would fill all places leaves the last to the best tool of another. */
function notAllOfOne(ranked: readonly Candidate[], limit: number): Candidate[] {
  const shown = ranked.slice(0, limit);
  const [first] = shown;
  if (limit <= fewShown || shown.some(({ library }) => library !== first?.library)) return shown;
  const other = ranked.find(({ library }) => library !== first?.library);
  return other ? [...shown.slice(0, -1), other] : shown;
}

function matched(candidates: readonly Candidate[], limit: number): ToolMatches {
  const matches = candidates.slice(0, limit).map(({ library, tool, name, score }) => {
    return { key: library.key, name, identifier: library.identifiers[tool] ?? name, position: tool, score };
  });
  return { matches, total: candidates.length, isWeak: false, ...noneNamed };
}

function candidatesIn(libraries: readonly RankedLibrary[], { query, words, vectors }: Asked): Candidate[] {
  const names = nameQuery(query);
  let best = 0;
  for (const { first, names } of libraries) {
    for (let number = first; number < first + names.length; number++) best = Math.max(best, words.values[number] ?? 0);
  }
  const alike = vectors.length > 0 ? likenesses(libraries, vectors) : undefined;
  const leastAlike = alike && Math.max(leastLikeness, alike.toSorted().at(-mostAbout) ?? 0);
  const candidates: Candidate[] = [];
  let number = 0;
  for (const [order, library] of libraries.entries()) {
    const calledSo = namedTools(library, names);
    for (let tool = 0; tool < library.names.length; tool++, number++) {
      const byWords = words.values[library.first + tool] ?? 0;
      const likeness = alike?.[number] ?? 0;
      const named = calledSo?.get(tool) ?? 0;
      const isFound = named > 0 || (byWords > 0 && byWords >= best * noiseShare);
      if (library.leftOut.has(tool) || !(isFound || likeness >= (leastAlike ?? 2))) continue;
      const score = byWords / (best || 1) + named * 2;
      candidates.push({ library, order, tool, name: library.names[tool] ?? "", named, byWords, likeness, score });
    }
  }
  return candidates;
}

function likenesses(libraries: readonly RankedLibrary[], asked: readonly Int8Array[]): Float64Array {
  const all = new Float64Array(libraries.reduce((sum, { names }) => sum + names.length, 0));
  let number = 0;
  for (const { names, vectors, leftOut } of libraries) {
    for (let tool = 0; tool < names.length; tool++, number++) {
      if (leftOut.has(tool)) continue;
      for (const one of asked) all[number] = Math.max(all[number] ?? 0, likeness(one, vectors, tool * dimensions));
    }
  }
  return all;
}

/** Gives each the score of its places. */
function fuse(candidates: readonly Candidate[]): void {
  const scores = new Map<Candidate, number>();
  const add = (measure: "byWords" | "likeness", weight: number): void => {
    const measured = candidates.filter((candidate) => candidate[measure] > 0);
    const sorted = topBy(measured, mostPlaces, (candidate) => candidate[measure]);
    for (const [place, candidate] of sorted.entries()) {
      scores.set(candidate, (scores.get(candidate) ?? 0) + weight / (placeOffset + place));
    }
  };
  add("byWords", 1);
  add("likeness", aboutWeight);
  const best = candidates.reduce((most, { byWords }) => Math.max(most, byWords), 0) || 1;
  for (const candidate of candidates) {
    const { byWords, named } = candidate;
    candidate.score = (scores.get(candidate) ?? 0) + wordsWeight * (byWords / best) + named * 2;
  }
}

/** The best of them, sorted. Numbers are sorted far more quickly than objects, so only those are that can be among the best. */
function topBy(candidates: readonly Candidate[], most: number, measure: (candidate: Candidate) => number): Candidate[] {
  const least = Float64Array.from(candidates, measure).sort().at(-most) ?? 0;
  return candidates
    .filter((candidate) => measure(candidate) >= least)
    .sort((left, right) => measure(right) - measure(left) || inOrder(left, right))
    .slice(0, most);
}

function inOrder(left: Candidate, right: Candidate): number {
  return left.order - right.order || (left.name < right.name ? -1 : 1);
}

/** Of a long request nobody can say it: most of its words are in no tool. */
function isWeak(ranked: readonly Candidate[], { query, words, vectors }: Asked): boolean {
  if (ranked.length === 0 || query.trim().split(/\s+/).length > fewWords) return false;
  const first = ranked.slice(0, 5);
  const answered = Math.max(...first.map(({ byWords }) => byWords)) / (words.most || 1);
  if (vectors.length === 0) return answered < goodByWords;
  return answered + Math.max(...first.map(({ likeness }) => likeness)) < goodMatch;
}
