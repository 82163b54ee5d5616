import { printable } from "../system/printable.ts";

const LONGEST = 160;

/**
 * A line of the file as it may be shown: its keys and punctuation. Values and comments are left out, because the line
 * that is wrong is often one that holds a token.
 */
export function excerpt(line: string): string {
  const shown = line
    .slice(0, LONGEST)
    .trimEnd()
    .replace(/\/[/*].*|("(?:[^"\\]|\\.)*"?|[^\s"{}[\],:]+)(\s*:)?/g, (part, word, colon, offset, whole) => {
      if (word === undefined) return `${part.slice(0, 2)} …`;
      if (colon !== undefined && /(?:^|[{,])\s*$/.test(whole.slice(0, offset))) return part;
      return hidden(word) + (colon ?? "");
    });
  return printable(line.length > LONGEST ? `${shown} …` : shown);
}

function hidden(word: string): string {
  if (!word.startsWith('"')) return "…";
  return /^"(?:[^"\\]|\\.)*"$/.test(word) ? '"…"' : '"…';
}
