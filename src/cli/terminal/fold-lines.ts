const usualWidth = 80;
const leastWidth = 20;
/** Before what would not fit on its line: a text of many spaces could place its own words where a line of ours begins. */
const continuation = "    | ";

/** Breaks long lines ourselves, so that what goes on can be told from what begins. Nothing is left out. */
export function foldLines(text: string, columns: number): string {
  const width = Math.max(leastWidth, columns > 0 ? columns : usualWidth) - 1;
  return text
    .split("\n")
    .map((line) => foldLine(line, width))
    .join("\n");
}

function foldLine(line: string, width: number): string {
  if (line.length * 2 <= width) return line;
  const pieces: string[] = [];
  let [piece, used] = ["", 0];
  for (const character of line) {
    // Some are as wide as two; none is wider than it is taken for.
    const wide = character <= "~" ? 1 : 2;
    if (used + wide > width) {
      pieces.push(piece);
      [piece, used] = [continuation, continuation.length];
    }
    piece += character;
    used += wide;
  }
  return [...pieces, piece].join("\n");
}
