// Every figure, a table a script: `node bench/all.mjs [--write] [--only calls,start] [--rounds N] [--idle]`. `--write` puts those with
// a goal into the README. `--idle` adds the memory after the idle time, which takes more than four minutes.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { withNumbers } from "./readme-numbers.mjs";
import { onThisMachine, printRows } from "./report.mjs";

/** Each is a script beside this one. */
const scripts = [
  ...["definitions", "row-job", "calls", "http-calls", "call-cpu", "warm-run", "large-results", "engines", "policy"],
  ...["start", "skills", "memory", "clients", "peers"],
];
const readme = fileURLToPath(new URL("../README.md", import.meta.url));
const { values } = parseArgs({
  options: { write: { type: "boolean" }, only: { type: "string" } },
  strict: false,
});

async function measureAll(names) {
  const rows = [];
  for (const name of names) {
    console.error(`${name} …`);
    const script = `bench/${name}.mjs`;
    try {
      const { measure } = await import(`./${name}.mjs`);
      const measured = await measure();
      printRows(measured);
      rows.push(...measured.map((row) => ({ ...row, script })));
    } catch (error) {
      // The other figures are still worth having.
      console.error(error);
      process.exitCode = 1;
    }
  }
  return rows;
}

const names = values.only?.split(",") ?? scripts;
const [rows, machine] = await onThisMachine(() => measureAll(names));
console.log(machine);
if (values.write) writeFileSync(readme, withNumbers(readFileSync(readme, "utf8"), rows, machine));
