import { memoize } from "./memoize.ts";

const maxKeyLength = 40;

/**
 * Whether a key of a result is a name that a programmer gave, and so may be kept and shown. Keys can be data too: ids, addresses,
 * dates, tokens, people. What is not made of plain words in ASCII counts as data.
 */
export const isPlainKey = memoize((key) => {
  if (key.length > maxKeyLength || key === "__proto__" || !/^[@$]?_{0,2}[A-Za-z][A-Za-z0-9_-]*$/.test(key))
    return false;
  const parts = key
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)
    .filter((part) => part !== "");
  if (/^[0-9a-f]{8,}$/i.test(key) && /\d/.test(key)) return false;
  return parts.every(isWord) && !isScrambled(parts);
});

/** Letters, with a few digits at one place: `sha256`, `i18n`, `2`; no hexadecimal, nothing without a vowel that is long. */
function isWord(part: string): boolean {
  if (!/^(?:[a-z]{1,20}\d{0,4}[a-z]{0,2}|\d{1,2}[a-z]{0,2})$/i.test(part)) return false;
  return !/[^aeiouy\d]{7,}/i.test(part) && !/[A-Z]{6}\d/.test(part);
}

/** Capitals and digits that come without a pattern, as in a token. */
function isScrambled(parts: readonly string[]): boolean {
  const letters = parts.reduce((sum, part) => sum + part.length, 0);
  const isMixed = parts.filter((part) => /\d/.test(part)).length > 1;
  return letters >= 8 && (letters / parts.length < 2.3 || (isMixed && letters >= 12));
}
