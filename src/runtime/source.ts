/** The code inside a Markdown fence when that is all there is around it, which models often send, without a byte order mark. */
export function stripFences(text: string): string {
  const source = text.replace(/^\ufeff/, "");
  const fenced = /^\s*(`{3,}|~{3,})[^\n]*\n([\s\S]*?)\n?[ \t]*\1[ \t]*\s*$/.exec(source);
  return fenced?.[2] ?? source;
}

/** 1-based line and column of an offset, as an editor counts them. */
export function positionOf(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, Math.max(0, offset));
  const lastBreak = before.lastIndexOf("\n");
  return { line: before.split("\n").length, column: before.length - lastBreak };
}
