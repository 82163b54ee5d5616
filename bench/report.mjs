// One row is one figure: { what, ours, floor, ratio, goal, met, notes }. All are texts but `met`, which is undefined
// where there is no goal.
import { realpathSync } from "node:fs";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

export const milliseconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)} ms`;
export const count = (value) => value.toLocaleString("en-US");

/** Times, compared by their ratio. */
export function timeRow({ what, ours, floor, floorName, goal, notes }) {
  const ratio = ours / floor;
  return {
    what,
    ours: milliseconds(ours),
    floor: `${milliseconds(floor)} ${floorName}`,
    ratio: `${ratio.toFixed(2)}x`,
    ...(goal && { goal: `<= ${goal}x`, met: ratio <= goal }),
    notes,
  };
}

export function printRows(rows) {
  const headings = { what: "what", ours: "ours", floor: "against", ratio: "ratio", goal: "goal", met: "met" };
  const cells = [headings, ...rows].map((row) => ({
    ...row,
    goal: row.goal ?? "–",
    met: row === headings ? row.met : row.met === undefined ? "–" : row.met ? "yes" : "NO",
  }));
  const width = (name) => Math.max(...cells.map((row) => row[name].length));
  const widths = Object.fromEntries(Object.keys(headings).map((name) => [name, width(name)]));
  for (const row of cells) {
    console.log(
      Object.entries(widths)
        .map(([name, size]) => row[name].padEnd(size))
        .join("  ")
        .trimEnd(),
    );
    for (const note of row.notes ?? []) console.log(`  ${note}`);
  }
}

/** Lets a script be run alone; bench/all.mjs imports it instead. */
export async function printWhenAlone(url, measure) {
  if (fileURLToPath(url) === realpathSync(argv[1])) printRows(await measure());
}
