import type { Problem } from "./checks/problem.ts";

/** More code than this is not looked at, by anything. */
export const mostCharacters = 256_000;

/** What neither parser nor checker should be bothered with. */
export function unreadable(source: string): Problem | undefined {
  if (source.length > mostCharacters) {
    const message = `The code has ${source.length} characters, more than ${mostCharacters}: have tools fetch the data instead of writing it into the code`;
    return { line: 1, column: 1, message };
  }
  const half = source.search(/\p{Surrogate}/u);
  return half < 0
    ? undefined
    : { ...positionOf(source, half), message: "This is half of a surrogate pair, which is not a character" };
}

/** The code inside a Markdown fence when that is all there is around it, which models often send, without a byte order mark. */
export function stripFences(text: string): string {
  if (text.length > mostCharacters) return text;
  const source = text.replace(/^\ufeff/, "");
  const whole = source.trim();
  const fence = whole.slice(0, 3);
  const start = whole.indexOf("\n") + 1;
  if ((fence !== "```" && fence !== "~~~") || start === 0 || !whole.endsWith(fence)) return source;
  const lastLine = whole.lastIndexOf("\n") + 1;
  // A fence that closes is a line of its own, or stands right behind the code.
  const isOwnLine = /^[ \t]*(?:`+|~+)$/.test(whole.slice(lastLine));
  if (!isOwnLine) return whole.slice(start, -fence.length).trimEnd();
  return whole.slice(start, Math.max(start, lastLine - 1));
}

let last: { readonly source: string; readonly starts: readonly number[] } | undefined;

/** 1-based line and column of an offset, as an editor counts them. */
export function positionOf(source: string, offset: number): { line: number; column: number } {
  // Many places of one text are asked for, one after the other.
  if (last?.source !== source) last = { source, starts: lineStarts(source) };
  const at = Math.min(Math.max(0, offset), source.length);
  let line = 1;
  for (let step = last.starts.length; step > 0; step = step >> 1) {
    while ((last.starts[line - 1 + step] ?? Number.POSITIVE_INFINITY) <= at) line += step;
  }
  return { line, column: at - (last.starts[line - 1] ?? 0) + 1 };
}

function lineStarts(source: string): number[] {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
