// One row is one figure: { what, ours, floor, ratio, rounds, goal, met, notes }. All are texts but `met`, which is undefined
// where there is no goal, and `rounds`. What has a goal is published in the README; `published` says otherwise.
import { readFileSync, realpathSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";
import { median, ratioOf } from "./measure.mjs";

export const milliseconds = (value) => `${value < 10 ? value.toFixed(2) : value.toFixed(value < 100 ? 1 : 0)} ms`;
export const microseconds = (value) => `${value.toFixed(0)} µs`;
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

/** Samples of two contenders that took turns, compared round by round; `goal` is for the ratio, `limit` for the figure itself. */
export function contestRow({ what, ours, floor, floorName, goal, limit, show = milliseconds, ...more }) {
  const { middle } = ratioOf(ours, floor);
  return {
    what,
    ours: show(median(ours)),
    floor: `${show(median(floor))} ${floorName}`,
    ratio: showRatio(ours, floor),
    rounds: ours.length,
    ...(goal && { goal: `<= ${goal}x`, met: middle <= goal }),
    ...(limit && { goal: `<= ${show(limit)}`, met: median(ours) <= limit }),
    ...more,
  };
}

/** The median of the rounds' ratios, with its quartiles. */
export function showRatio(ours, floor) {
  const { middle, low, high } = ratioOf(ours, floor);
  return `${middle.toFixed(2)}x (${low.toFixed(2)}–${high.toFixed(2)})`;
}

export function printRows(rows) {
  const headings = {
    what: "what",
    ours: "ours",
    floor: "against",
    ratio: "ratio (quartiles)",
    rounds: "rounds",
    goal: "goal",
    met: "met",
  };
  const cells = [headings, ...rows].map((row) => ({
    ...row,
    rounds: String(row.rounds ?? "–"),
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

/** What the work gives, and where and under which load it was done, as a sentence. */
export async function onThisMachine(work) {
  const load = () => loadavg()[0].toFixed(1);
  const before = load();
  const done = await work();
  const [{ model }] = cpus();
  const system = /^PRETTY_NAME="?(.*?)"?$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1] ?? process.platform;
  const date = new Date().toISOString().slice(0, 10);
  const machine = `${date}: ${cpus().length} virtual cores (${model.trim()}), ${system}, Node ${process.versions.node}`;
  return [done, `${machine}; load average ${before} before, ${load()} after.`];
}

/** Lets a script be run alone; bench/all.mjs imports it instead. */
export async function printWhenAlone(url, measure) {
  if (fileURLToPath(url) !== realpathSync(argv[1])) return;
  const [rows, machine] = await onThisMachine(measure);
  printRows(rows);
  console.log(machine);
}
