import { plainLine } from "../../catalog/plain-text.ts";
import { print } from "./print.ts";

const longestCell = 200;

/** Rows in aligned columns under a heading. Cells are single lines; the last column is cut to the width of the terminal. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[], width?: number): string {
  const cells = [heading, ...rows].map((row) => row.map((cell) => plainLine(cell, longestCell)));
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const before = widths.slice(0, -1).reduce((sum, size) => sum + size + 2, 0);
  const last = width === undefined ? longestCell : Math.max(10, width - before);
  return cells
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? plainLine(cell, last) : cell.padEnd(widths[column] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** The same on stdout, as wide as the terminal. */
export function printTable(heading: readonly string[], rows: readonly (readonly string[])[]): void {
  print(table(heading, rows, process.stdout.columns || undefined));
}
