import { stemmer } from "stemmer";
import { memoize } from "../memoize.ts";
import { stopWords } from "./stop-words.ts";

const maxWordLength = 40;

/**
 * The words of a sentence that carry meaning, in lower case and without accents. `maxResults` and `max_results` give `max` and
 * `results`; in scripts that write without spaces every two neighbouring characters are a word.
 */
export function words(text: string): string[] {
  return collect(text, splitProse);
}

/** All words of a name: `CreateIssue` is split as well. */
export function nameWords(name: string): string[] {
  return collect(name, splitName);
}

/** A name of several words as one word: `maxResults`, `max_results` and `max-results` are the same. Other texts are not such names. */
export function joined(name: string): string | undefined {
  const isName = /^[A-Za-z0-9]+(?:[_-]+[A-Za-z0-9]+)*$/.test(name);
  const isJoined = isName && /[_-]|[a-z0-9][A-Z]/.test(name);
  return isJoined ? tidy(name.replace(/[_-]+/g, "")) : undefined;
}

/** What all forms of an English word share; any other word itself. */
export const stem = memoize((word) => (/^[a-z]{3,}$/.test(word) ? stemmer(word) : word));

function collect(text: string, split: (chunk: string) => readonly string[]): string[] {
  const chunks = isAscii(text) ? text.match(/[A-Za-z0-9]+/g) : withoutAccents(text).match(/[\p{L}\p{M}\p{N}]+/gu);
  const found: string[] = [];
  for (const chunk of chunks ?? []) for (const word of split(chunk)) found.push(word);
  return found;
}

const splitName = memoize((chunk) => splitScripts(chunk).flatMap(splitCamelCase).map(tidy));

// A capitalised word in a sentence is a name (GitHub, JavaScript), not two words.
const splitProse = memoize((chunk) => {
  const isOneWord = /^(?:[A-Z][A-Za-z0-9]*|[a-z0-9]+)$/.test(chunk);
  return (isOneWord ? [tidy(chunk)] : splitName(chunk)).filter((word) => !stopWords.has(word));
});

function splitCamelCase(word: string): string[] {
  const parts = word.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/);
  return parts.length === 1 ? parts : [word, ...parts];
}

const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;

function splitScripts(chunk: string): string[] {
  if (isAscii(chunk)) return [chunk];
  const spaced = chunk.split(unspaced).filter((part) => part !== "");
  const pairs = (chunk.match(unspaced) ?? []).flatMap((run) => {
    const characters = Array.from(run);
    return characters.length === 1
      ? characters
      : characters.slice(1).map((second, index) => `${characters[index]}${second}`);
  });
  return [...spaced, ...pairs];
}

export function withoutAccents(text: string): string {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
}

/** A word as `words` gives it. */
export function plainWord(word: string): string {
  return tidy(withoutAccents(word));
}

function tidy(word: string): string {
  return word.toLowerCase().slice(0, maxWordLength);
}

function isAscii(text: string): boolean {
  return !/[\u0080-\uffff]/.test(text);
}
