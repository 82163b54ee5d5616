// The table of numbers in the README: made of the rows of one invocation, between two marks.
const begin = "<!-- numbers: written by `node bench/all.mjs --write` -->";
const end = "<!-- /numbers -->";
/** What stands in the place of a figure that there is not. */
const none = "–";

/** The README with these rows instead of those that it had; where and when they were measured stands above them. */
export function withNumbers(readme, rows, machine) {
  const from = readme.indexOf(begin);
  const to = readme.indexOf(end);
  if (from === -1 || to < from) throw new Error(`README.md has no place for numbers: ${begin} and ${end}`);
  const table = ["| what | ours | beside | goal | script |", "|---|---|---|---|---|", ...linesOf(rows)];
  return `${readme.slice(0, from)}${[begin, `Here, ${machine}`, "", ...table].join("\n")}\n${readme.slice(to)}`;
}

/** All that one figure is compared with stands in one line. */
function linesOf(rows) {
  const figures = new Map();
  for (const row of rows.filter(({ published, goal }) => published ?? goal !== undefined)) {
    const figure = `${row.what} ${row.script}`;
    figures.set(figure, [...(figures.get(figure) ?? []), row]);
  }
  return [...figures.values()].map(lineOf);
}

function lineOf(rows) {
  const [{ what, ours, script }] = rows;
  const beside = rows.map(({ floor, ratio }) => [floor, ratio].filter((part) => part !== none).join(": "));
  const goals = rows.flatMap(({ goal, met }) => (goal === undefined ? [] : [met ? goal : `${goal} (missed)`]));
  const cells = [what, ours, beside.join("; "), goals.join("; "), `\`${script}\``];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
