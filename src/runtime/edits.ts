/** A replacement of a piece of source text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits made. Edits do not overlap; insertions at one place keep their order. */
export function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = "";
  let offset = 0;
  for (const { start, end, text } of [...edits].sort(
    (left, right) => left.start - right.start || left.end - right.end,
  )) {
    result += source.slice(offset, start) + text;
    offset = end;
  }
  return result + source.slice(offset);
}

/** Takes a piece away and leaves every line where it is. */
export function blank(source: string, start: number, end: number): Edit {
  return { start, end, text: source.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, " ") };
}

export function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}
