// Every figure in one table. `--idle` adds the memory after the idle time, which takes more than four minutes.
import { measure as calls } from "./calls.mjs";
import { measure as clients } from "./clients.mjs";
import { measure as definitions } from "./definitions.mjs";
import { measure as engines } from "./engines.mjs";
import { measure as memory } from "./memory.mjs";
import { printRows } from "./report.mjs";
import { measure as rowJob } from "./row-job.mjs";
import { measure as skills } from "./skills.mjs";
import { measure as start } from "./start.mjs";
import { measure as warmRun } from "./warm-run.mjs";

const benches = { definitions, "row job": rowJob, calls, "warm run": warmRun, engines, start, skills, memory, clients };

const rows = [];
for (const [name, measure] of Object.entries(benches)) {
  console.error(`${name} …`);
  try {
    rows.push(...(await measure()));
  } catch (error) {
    // The other figures are still worth having.
    console.error(error);
    process.exitCode = 1;
  }
}
printRows(rows);
