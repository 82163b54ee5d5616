import { parseArgs } from "node:util";
import { attackHost } from "./attack-host.ts";
import { engines } from "./engines.ts";
import { provable, proveCanaries } from "./prove-canaries.ts";
import { rows } from "./rows.ts";
import { attack, firedIn, type Part, parts } from "./table.ts";
import { writeTable } from "./write-table.ts";

/** The command `npm run attacks`; answers with its exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      engine: { type: "string" },
      row: { type: "string" },
      part: { type: "string" },
      write: { type: "boolean" },
      together: { type: "boolean" },
    },
  });
  const isChosen = (id: string) => id.startsWith(values.row ?? "");
  const part = parts.find((each) => each === values.part);
  if (values.part !== undefined && part === undefined) throw new Error(`--part is one of ${parts.join(", ")}`);
  const isPart = values.row !== undefined || part !== undefined;
  const reports = await attack({
    rows: rows.filter(({ id }) => isChosen(id)),
    engines: engines.filter(({ name }) => values.engine === undefined || name === values.engine),
    onCell: ({ id, engine, text }) => console.log(`${id}  ${engine.padEnd(10)} ${text}`),
    parts: chosenParts(part, values.row),
    together: values.together ?? false,
  });
  for (const { engine, absent, crowd = [], sessions = [] } of reports) {
    if (absent) console.log(`${engine.name} (${engine.language}) is absent: ${absent}`);
    for (const { canary, detail } of crowd) console.log(`${engine.name}, eight at a time: ${canary} ${detail}`);
    for (const { canary, detail } of sessions) console.log(`${engine.name}, in sessions: ${canary} ${detail}`);
  }
  const isHostChosen = part === undefined && (values.engine === undefined || values.engine === "gateway");
  const host = isHostChosen ? attackHost(isChosen) : [];
  for (const { id, text } of host) console.log(`${id}  gateway    ${text}`);
  const isProven = !isPart && (values.write || values.engine === undefined);
  const proof = isProven ? await prove(values.engine) : new Map<string, string[]>();
  if (values.write) writeTable({ rows, reports, host, proof, isPart });
  const held = reports.every(({ cells, crowd = [], sessions = [] }) => {
    return crowd.length + sessions.length === 0 && cells.every(({ ok }) => ok);
  });
  return held && host.every(({ ok }) => ok) ? 0 : 1;
}

/** All of them, unless one is named, or only some rows are: those are tried alone. */
function chosenParts(part: Part | undefined, row: string | undefined): readonly Part[] {
  if (part !== undefined) return [part];
  return row === undefined ? parts : ["alone"];
}

async function prove(only: string | undefined): Promise<Map<string, string[]>> {
  const proof = new Map<string, string[]>();
  for (const engine of provable.filter(({ name }) => only === undefined || name === only)) {
    const fired = firedIn([...(await proveCanaries(engine)).values()]);
    console.log(`${engine.name} without its sandbox: ${fired.join(", ")} fired`);
    proof.set(engine.name, fired);
  }
  return proof;
}
