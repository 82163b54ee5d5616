/**
 * Whether the whole name fits the pattern: `*` is any run of characters, `?` is one, all else stands for itself.
 * On a mismatch only the last `*` takes one character more, so the work is bounded by name times pattern.
 */
export function matchesGlob(name: string, pattern: string): boolean {
  const characters = Array.from(name);
  const wanted = Array.from(pattern);
  let at = 0;
  let position = 0;
  let star = -1;
  let starAt = 0;
  while (at < characters.length) {
    if (wanted[position] === "*") {
      star = position++;
      starAt = at;
    } else if (position < wanted.length && (wanted[position] === "?" || wanted[position] === characters[at])) {
      position++;
      at++;
    } else if (star >= 0) {
      position = star + 1;
      at = ++starAt;
    } else {
      return false;
    }
  }
  return wanted.slice(position).every((character) => character === "*");
}

/** Globs over exact tool names. */
export interface ToolFilter {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

/** Deny wins; an empty allow list allows every name. */
export function allowed(name: string, filter: ToolFilter): boolean {
  const matches = (pattern: string) => matchesGlob(name, pattern);
  return !filter.deny.some(matches) && (filter.allow.length === 0 || filter.allow.some(matches));
}
