import { encode } from "@toon-format/toon";

/** Fewer characters than this share of JSON's: the marks that TOON leaves out cost little, since several are one token. */
const clearlyShorter = 0.85;

/** A value as TOON where that clearly costs a model less than JSON, as it does for tables of short values; else undefined. */
export function toonOf(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const text = encoded(value);
  return text && text.length < JSON.stringify(value).length * clearlyShorter ? text : undefined;
}

/** Undefined for what TOON cannot hold: half of a surrogate pair. */
function encoded(value: object): string | undefined {
  try {
    return encode(value);
  } catch {
    return undefined;
  }
}
