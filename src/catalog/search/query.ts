import { glossed } from "./glossary.ts";
import { synonyms } from "./synonyms.ts";
import { termsIn, translated } from "./translations.ts";
import { joined, nameWords, stem, words } from "./words.ts";

/** One thing that is asked for: the asker's word, and words that mean about the same. */
export interface Concept {
  readonly word: string;
  readonly alternatives: readonly string[];
}

const maxConcepts = 24;

/**
 * What a query asks for: its words that carry meaning, each once. A word that is unknown but written of two known ones
 * (`flowchart`) stands for those two; neighbours that are known as one word (`time zone`) may be meant as that.
 */
export function concepts(query: string, isKnown: (word: string) => boolean): Concept[] {
  const meaningful = words(query);
  const asked = (meaningful.length > 0 ? meaningful : nameWords(query))
    .flatMap((word) => abbreviations.get(word) ?? [word])
    .flatMap((word) => (isKnown(word) ? [word] : (translated(word) ?? splitCompound(word, isKnown))));
  asked.push(...foreignTerms(query, isKnown).flatMap((term) => translated(term) ?? []));
  const found = new Map<string, Concept>();
  for (const name of query.split(/[^\w-]+/).flatMap((word) => joined(word) ?? [])) {
    if (isKnown(name)) found.set(name, { word: name, alternatives: [] });
  }
  asked.forEach((word, position) => {
    const own = stem(word);
    const compounds = [`${asked[position - 1]}${word}`, `${word}${asked[position + 1]}`].filter(isKnown);
    const alternatives = [...(synonyms.get(own) ?? []), ...(translated(word) ?? []), ...compounds];
    if (!found.has(own)) found.set(own, { word, alternatives });
  });
  return [...found.values()].slice(0, maxConcepts);
}

/** A query with those words translated that can be: what texts are about is known of English ones. What tools say in Chinese is, too. */
export function inEnglish(query: string, isKnown: (word: string) => boolean): string {
  const text = glossed(query);
  const english = (word: string) => (isKnown(word) ? undefined : translated(word));
  const spaced = text.split(/\s+/).flatMap((word) => english(word.toLowerCase()) ?? [word]);
  return [...spaced, ...foreignTerms(text, isKnown).flatMap((term) => translated(term) ?? [])].join(" ");
}

/** What tools say in that language needs no translation. */
function foreignTerms(query: string, isKnown: (word: string) => boolean): string[] {
  return termsIn(query).filter((term) => !nameWords(term).some(isKnown));
}

function splitCompound(word: string, isKnown: (word: string) => boolean): string[] {
  for (let end = word.length - 3; end >= 3; end--) {
    const parts = [word.slice(0, end), word.slice(end)];
    if (parts.every(isKnown)) return parts;
  }
  return [word];
}

const abbreviations: ReadonlyMap<string, readonly string[]> = new Map([
  ["pr", ["pull", "request"]],
  ["prs", ["pull", "request"]],
]);
