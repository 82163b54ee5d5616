import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { HostCell } from "./attack-host.ts";
import type { Row } from "./row.ts";
import type { EngineReport } from "./table.ts";

export interface Findings {
  readonly rows: readonly Row[];
  readonly reports: readonly EngineReport[];
  readonly host: readonly HostCell[];
  /** By engine: the canaries that fired when its sandbox was taken away. */
  readonly proof: ReadonlyMap<string, readonly string[]>;
  /** Whether only some rows or one part were run: the others stay as they were. */
  readonly isPart: boolean;
}

/** What the last run on each engine found. The whole suite takes an hour: the table is made of what was run when. */
interface Results {
  readonly engines: Readonly<Record<string, EngineResult>>;
  readonly host: readonly HostCell[];
  readonly proof: Readonly<Record<string, readonly string[]>>;
}

interface EngineResult {
  readonly date: string;
  readonly absent?: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly held: number;
  readonly attacks: number;
  /** How many canaries moved when eight ran at once, and when each ran twice in a session; absent when not tried. */
  readonly crowd?: number;
  readonly sessions?: number;
}

const resultsFile = "test/attacks/results.json";
const columns = ["deno", "cpython", "pyodide", "container"];

/** docs/attacks.md: one table, rows by engines. What was not run now is as it was found the last time. */
export function writeTable({ rows, reports, host, proof, isPart }: Findings): void {
  const before: Results = existsSync(resultsFile)
    ? JSON.parse(readFileSync(resultsFile, "utf8"))
    : { engines: {}, host: [], proof: {} };
  const results: Results = {
    engines: {
      ...before.engines,
      ...Object.fromEntries(
        reports.map((report) => [keyOf(report), resultOf(report, isPart ? before.engines[keyOf(report)] : undefined)]),
      ),
    },
    host: host.length > 0 && !isPart ? host : before.host.map((one) => host.find(({ id }) => id === one.id) ?? one),
    proof: { ...before.proof, ...Object.fromEntries(proof) },
  };
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  const cellOf = (row: Row, engine: string): string => {
    const result = results.engines[`${engine} (${row.language})`];
    return result?.absent === undefined ? (result?.cells[row.id] ?? "") : "absent";
  };
  const guestLines = rows.map((row) => line([row.id, row.title, ...columns.map((engine) => cellOf(row, engine)), ""]));
  const hostLines = results.host.map(({ id, title, text }) => line([id, title, ...columns.map(() => ""), text]));
  const text = [
    "# The attack suite",
    "",
    "Made by `npm run attacks -- --write`; not edited by hand. Each row of the list is attacked for real, through the",
    "gateway as a process, with canaries around it: secrets in its environment and in files, paths that must not be",
    "written, listeners that must not be reached, tools that must not be called, its prototypes, its answers to others,",
    "the next run, the processes and the memory that stay. A cell says what was expected and how it ended; `ok` means",
    "that no canary moved, that nothing hung, and that the end was told clearly.",
    "",
    "Expected: N any end · E a clear error · T the time limit · M the memory limit · L some limit · R refused before it",
    "ran · ok a good end. The rows of the host (H…, R…, S…) are tests of `npm test`.",
    "",
    ...summary(results),
    "",
    line(["row", "attack", ...columns, "gateway"]),
    line(["---", "---", ...columns.map(() => "---"), "---"]),
    ...guestLines,
    ...hostLines,
    "",
  ];
  writeFileSync("docs/attacks.md", text.join("\n"));
}

function keyOf({ engine }: EngineReport): string {
  return `${engine.name} (${engine.language})`;
}

function resultOf({ absent, cells, crowd, sessions }: EngineReport, before?: EngineResult): EngineResult {
  const all = { ...before?.cells, ...Object.fromEntries(cells.map(({ id, text }) => [id, text])) };
  return {
    date: new Date().toISOString().slice(0, 10),
    ...(absent !== undefined && { absent: absent.split("\n")[0] ?? "" }),
    cells: all,
    held: Object.values(all).filter((text) => !text.startsWith("FAILED")).length,
    attacks: before?.attacks ?? cells.reduce((sum, cell) => sum + cell.cases.length, 0),
    ...counted("crowd", crowd?.length ?? before?.crowd),
    ...counted("sessions", sessions?.length ?? before?.sessions),
  };
}

function counted(part: "crowd" | "sessions", moved: number | undefined) {
  return moved === undefined ? {} : { [part]: moved };
}

function summary({ engines: byEngine, proof }: Results): string[] {
  const told = (how: string, moved: number | undefined) =>
    moved === undefined ? "" : `; ${how}: ${moved === 0 ? "nothing moved" : `${moved} canaries moved`}`;
  const engines = Object.entries(byEngine).map(([name, { date, absent, cells, held, attacks, crowd, sessions }]) => {
    if (absent !== undefined) return `- ${name}, ${date}: absent, ${absent}`;
    const others = told("eight at a time", crowd) + told("twice in a session", sessions);
    return `- ${name}, ${date}: ${held} of ${Object.keys(cells).length} rows held, ${attacks} attacks${others}`;
  });
  const proofs = Object.entries(proof).map(
    ([engine, fired]) => `- ${engine} without its sandbox: ${fired.join(", ")} fired`,
  );
  const versions = [
    `Node ${process.versions.node}`,
    versionOf("node_modules/.bin/deno", "--version"),
    versionOf("python3", "--version"),
    versionOf("bwrap", "--version"),
    versionOf("podman", "--version"),
    versionOf("uname", "-sr"),
  ];
  return [versions.filter(Boolean).join(", "), "", ...engines, ...proofs];
}

function versionOf(program: string, argument: string): string {
  try {
    return execFileSync(program, [argument], { encoding: "utf8" }).split("\n")[0] ?? "";
  } catch {
    return "";
  }
}

function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ").slice(0, 300)).join(" | ")} |`;
}
