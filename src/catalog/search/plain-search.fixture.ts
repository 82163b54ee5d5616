import type { Library, Tool } from "../tool.ts";
import { concepts } from "./query.ts";
import { lengthOf, libraryText, placeNames, places, toolText } from "./search-text.ts";
import { clausesOf } from "./word-scores.ts";
import { stem } from "./words.ts";

// The search by words as it is meant, without any thought of time or memory: what the real one must find, in the same order.

interface Entry {
  readonly library: Library;
  readonly server: number;
  readonly tool: Tool;
  /** By word. */
  readonly weights: ReadonlyMap<string, number>;
}

type Scores = Map<Entry, number>;

export function plainSearch(libraries: readonly Library[], query: string, server?: string): [string, number][] {
  const entries = libraries.flatMap((library, server) =>
    library.tools.map((tool) => ({ library, server, tool, weights: weightsOf(library, tool) })),
  );
  const scores = scoreAll(entries, query);
  const candidates = entries.flatMap((entry) => {
    const named = namedBy(query, entry);
    const isAsked = [undefined, entry.library.server, entry.library.module].includes(server);
    return isAsked && (named > 0 || scores.has(entry)) ? [{ ...entry, named, score: scores.get(entry) ?? 0 }] : [];
  });
  const best = Math.max(0, ...candidates.map((one) => one.score));
  const isOnlyNames = isAskedByName(
    query,
    candidates.filter(({ named }) => named > 0),
  );
  return candidates
    .filter(({ named, score }) => named > 0 || (!isOnlyNames && score >= best * 0.15))
    .map((one) => ({ ...one, score: one.score / (best || 1) + one.named * 2 }))
    .sort(compare)
    .map(({ library, tool, score }) => [`${library.server}.${tool.name}`, score]);
}

/** Of a request of several sentences, what answers one of them well counts as much as what answers the whole. */
function scoreAll(entries: readonly Entry[], query: string): Scores {
  const whole = score(entries, query);
  const clauses = clausesOf(query).map((clause) => score(entries, clause));
  if (clauses.length === 0) return whole;
  const highest = (scores: Scores) => Math.max(0, ...scores.values()) || 1;
  const highestOfAll = highest(whole);
  const sums: Scores = new Map();
  for (const entry of entries) {
    const best = Math.max(...clauses.map((scores) => (scores.get(entry) ?? 0) / highest(scores)));
    const sum = (whole.get(entry) ?? 0) / highestOfAll + best;
    if (sum > 0) sums.set(entry, sum);
  }
  return sums;
}

function compare(left: Entry & { score: number }, right: Entry & { score: number }): number {
  return right.score - left.score || left.server - right.server || (left.tool.name < right.tool.name ? -1 : 1);
}

function weightsOf(library: Library, tool: Tool): Map<string, number> {
  const text = { ...toolText(tool), ...libraryText(library) };
  const weights = new Map<string, number>();
  for (const place of placeNames) {
    const { weight, usualLength } = places[place];
    const own = weight / (1 - 0.4 + (0.4 * lengthOf(text[place])) / usualLength);
    for (const word of new Set(text[place])) weights.set(word, (weights.get(word) ?? 0) + own);
  }
  return weights;
}

function score(entries: readonly Entry[], query: string): Scores {
  const vocabulary = [...new Set(entries.flatMap(({ weights }) => [...weights.keys()]))];
  const formsOf = (word: string) => {
    const own = stem(word);
    const start = own.length < 3 ? own : own.slice(0, -1);
    return vocabulary.filter((other) => other.startsWith(start) && stem(other) === own);
  };
  const raise = (scores: Scores, word: string, factor: number) => {
    for (const entry of entries) {
      const weight = entry.weights.get(word) ?? 0;
      const score = (factor * weight) / (weight + 4);
      if (score > (scores.get(entry) ?? 0)) scores.set(entry, score);
    }
  };
  const lookUp = (word: string): Scores => {
    const scores: Scores = new Map();
    for (const form of formsOf(word)) raise(scores, form, form === word ? 1 : 0.75);
    return scores;
  };
  const lookUpLoosely = (word: string): Scores => {
    const scores = lookUp(word);
    const start = stem(word);
    const factor = scores.size > 0 ? 0.35 : 0.8;
    for (const other of vocabulary) {
      if (start.length >= 3 && other.startsWith(start)) raise(scores, other, (factor * start.length) / other.length);
    }
    for (const [shortest, first] of [
      [5, word.slice(0, 1)],
      [7, ""],
    ] as const) {
      if (scores.size > 0 || word.length < shortest) break;
      for (const other of vocabulary) if (other.startsWith(first) && isSlip(word, other)) raise(scores, other, 0.6);
    }
    return scores;
  };
  const sums: Scores = new Map();
  const answered: Scores = new Map();
  let asked = 0;
  for (const { word, alternatives } of concepts(query, (known) => formsOf(known).length > 0)) {
    const best = lookUpLoosely(word);
    const owners = best.size;
    for (const alternative of alternatives) {
      for (const [entry, fit] of lookUp(alternative)) best.set(entry, Math.max(best.get(entry) ?? 0, fit * 0.3));
    }
    const rarity = Math.log((entries.length + 1) / ((owners || best.size) + 0.5));
    if (best.size > 0) asked += rarity;
    for (const [entry, fit] of best) {
      sums.set(entry, (sums.get(entry) ?? 0) + fit * rarity);
      answered.set(entry, (answered.get(entry) ?? 0) + rarity);
    }
  }
  for (const [entry, sum] of sums) sums.set(entry, sum * Math.sqrt((answered.get(entry) ?? 0) / asked));
  return sums;
}

/** Whether taking a letter out of one, or of both at the same place, or swapping two neighbours, makes them the same. */
function isSlip(left: string, right: string): boolean {
  if (left === right) return true;
  const without = (word: string) => Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1));
  if (without(left).includes(right) || without(right).includes(left)) return true;
  if (left.length !== right.length) return false;
  const others = Array.from(left).flatMap((letter, at) => (letter === right[at] ? [] : [at]));
  const [first = 0, second = 0] = others;
  const isSwapped = second === first + 1 && left[first] === right[second] && left[second] === right[first];
  return others.length === 1 || (others.length === 2 && isSwapped);
}

function namedBy(query: string, entry: Entry): 0 | 1 | 2 {
  const { library, tool } = entry;
  const fold = (name: string) => name.toLowerCase().replace(/[\s._/:-]+/g, "") || name;
  const names = [tool.name, tool.identifier, library.server + tool.name, library.module + tool.identifier].map(fold);
  if (names.includes(fold(query))) return isName(query, entry) ? 2 : 1;
  const words = wordsOf(query).filter(looksLikeName);
  return words.some((word) => names.includes(fold(word)) && isName(word, entry)) ? 1 : 0;
}

function isAskedByName(query: string, named: readonly Entry[]): boolean {
  const isNamed = (text: string) => named.some((entry) => isName(text, entry));
  const words = wordsOf(query);
  if (isNamed(query)) return words.some(looksLikeName);
  return named.length > 0 && words.every((word) => looksLikeName(word) && isNamed(word));
}

function isName(text: string, { library, tool }: Entry): boolean {
  const pairs = [[library.server, tool.name] as const, [library.module, tool.identifier] as const];
  const exact = pairs.flatMap(([start, name]) => [name, ...[" ", ".", "/", ":"].map((mark) => start + mark + name)]);
  return exact.some((name) => name.toLowerCase() === text.trim().toLowerCase());
}

function wordsOf(query: string): string[] {
  return query.split(/[\s,;"'`()]+/).filter((word) => word !== "");
}

function looksLikeName(word: string): boolean {
  return /[\p{L}\p{N}](?:[_./:-]|\p{Lu})[\p{L}\p{N}]/u.test(word);
}
