import { estimateTokens } from "./tokens.ts";

/** However little a tokenizer may make of it: no more characters than this are shown for a token of the budget. */
export const mostPerToken = 12;
const usualPerToken = 4;
/** Of the budget, what a list or object around a value takes from it. */
const levelShare = 1 / 64;

/** A value or text cut to a budget, and how much of it is shown; `kept` is absent when nothing was cut. */
export interface Cut<T> {
  readonly shown: T;
  readonly kept?: { readonly shown: number; readonly total: number; readonly unit: "characters" | "items" | "keys" };
  readonly tokens: number;
}

/** A text of which enough is known: its start and its end, each the whole of it where it is short. */
export interface LongText {
  readonly head: string;
  readonly tail: string;
  readonly characters: number;
}

/** So many budgets are more than a cut could give an idea of. */
const farTooMany = 4;
const ofFarTooMany = 0.25;

/** What is spent on showing a text or value: of one that is far too long nobody reads the whole budget, its form is enough. */
export function worthShowing(long: LongText | { readonly value: unknown }, budget: number): number {
  const most = budget * farTooMany;
  const isFar =
    "characters" in long ? long.characters > most * usualPerToken : estimateJson(long.value, most) === undefined;
  return isFar ? Math.ceil(budget * ofFarTooMany) : budget;
}

/** The start and the end of a text: the end of an output often says how it went. */
export function cutText(text: string | LongText, budget: number): Cut<string> {
  if (typeof text === "string") return cutText({ head: text, tail: text, characters: text.length }, budget);
  const { head, tail, characters: total } = text;
  const tokens = head.length === total ? estimateWithin(head, budget) : undefined;
  if (tokens !== undefined) return { shown: head, tokens };
  const characters = charactersWithin(head, budget);
  const first = Math.ceil(characters * 0.7);
  const end = characters > first ? tail.slice(first - characters) : "";
  const length = first + end.length;
  const shown = `${head.slice(0, first)}\n[... ${total - length} characters cut ...]\n${end}`;
  return { shown, kept: { shown: length, total, unit: "characters" }, tokens: budget };
}

/** A value that still is JSON after the cut: whole leading items, whole leading keys, the start of a text. */
export function cutValue(value: unknown, budget: number): Cut<unknown> {
  const tokens = estimateJson(value, budget);
  return tokens === undefined ? cutLarge(value, budget) : { shown: value, tokens };
}

/** The same for what is known not to fit. */
function cutLarge(value: unknown, budget: number): Cut<unknown> {
  if (typeof value === "string") {
    const characters = charactersWithin(value, budget);
    const shown = `${value.slice(0, characters)}…`;
    return { shown, kept: { shown: characters, total: value.length, unit: "characters" }, tokens: budget };
  }
  if (Array.isArray(value)) {
    const shown = take(value, budget, (item, left, isLarge) => (isLarge ? cutLarge : cutValue)(item, left).shown);
    return { shown, kept: { shown: shown.length, total: value.length, unit: "items" }, tokens: budget };
  }
  const entries = Object.entries(value as object);
  const shown = take<[string, unknown]>(entries, budget, ([key, item], left) => [key, cutValue(item, left).shown]);
  return {
    shown: Object.fromEntries(shown),
    kept: { shown: shown.length, total: entries.length, unit: "keys" },
    tokens: budget,
  };
}

/** Leading members while they fit; the first that does not fit is cut itself when nothing else would be shown. */
function take<T>(members: readonly T[], budget: number, cut: (member: T, budget: number, isLarge: boolean) => T): T[] {
  const taken: T[] = [];
  let left = budget;
  for (const member of members) {
    const cost = estimateJson(member, left - 1);
    if (cost === undefined) {
      // Each level has less, by a share: hundreds of levels are not measured with nearly the whole budget each.
      const within = Math.max(Math.min(left - 8, left * (1 - levelShare)), 8);
      if (taken.length === 0 || left > budget / 2) taken.push(cut(member, within, within < left));
      break;
    }
    taken.push(member);
    left -= cost + 1;
  }
  return taken;
}

/** The estimate for a value as JSON, unless it is above the budget; a large value is not even written. */
function estimateJson(value: unknown, budget: number): number | undefined {
  let left = budget * mostPerToken + 1;
  const tooLarge = {};
  try {
    const text = JSON.stringify(value, (_key, part: unknown) => {
      left -= typeof part === "string" ? part.length + 3 : 2; // at least, with what stands between it and the next
      if (left < 0) throw tooLarge;
      return part;
    });
    return estimateWithin(text ?? "", budget);
  } catch (thrown) {
    if (thrown === tooLarge) return undefined;
    throw thrown;
  }
}

/** The estimate, unless it is above the budget; a long text is not even measured. */
export function estimateWithin(text: string, budget: number): number | undefined {
  if (text.length > budget * mostPerToken) return undefined;
  const tokens = estimateTokens(text);
  return tokens <= budget ? tokens : undefined;
}

/** About how many characters of its start fit. */
export function charactersWithin(text: string, budget: number): number {
  const sample = text.slice(0, budget * 6);
  const perToken = sample.length / Math.max(1, estimateTokens(sample));
  return Math.min(text.length, Math.floor(budget * Math.min(perToken, mostPerToken) * 0.95));
}
