import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import type { HostCell } from "./attack-host.ts";
import type { Row } from "./row.ts";
import type { EngineReport } from "./table.ts";

export interface Findings {
  readonly rows: readonly Row[];
  readonly reports: readonly EngineReport[];
  readonly host: readonly HostCell[];
  /** By engine: the canaries that fired when its sandbox was taken away. */
  readonly proof: ReadonlyMap<string, readonly string[]>;
}

const columns = ["deno", "cpython", "pyodide", "container"];

/** docs/attacks.md: one table, rows by engines. */
export function writeTable({ rows, reports, host, proof }: Findings): void {
  const cells = reports.flatMap((report) =>
    report.cells.map((cell) => ({ ...cell, language: report.engine.language })),
  );
  const cellOf = (row: Row, engine: string): string => {
    const cell = cells.find(
      ({ id, language, ...of }) => id === row.id && language === row.language && of.engine === engine,
    );
    if (cell) return cell.text;
    const report = reports.find((of) => of.engine.name === engine && of.engine.language === row.language);
    return report?.absent ? "absent" : "";
  };
  const guestLines = rows.map((row) => line([row.id, row.title, ...columns.map((engine) => cellOf(row, engine)), ""]));
  const hostLines = host.map(({ id, title, text }) => line([id, title, ...columns.map(() => ""), text]));
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
    "ran · ok a good end. The rows of the host (H…) are tests of `npm test`.",
    "",
    ...summary(reports, proof),
    "",
    line(["row", "attack", ...columns, "gateway"]),
    line(["---", "---", ...columns.map(() => "---"), "---"]),
    ...guestLines,
    ...hostLines,
    "",
  ];
  writeFileSync("docs/attacks.md", text.join("\n"));
}

function summary(reports: readonly EngineReport[], proof: Findings["proof"]): string[] {
  const told = (how: string, moved: EngineReport["crowd"]) =>
    moved ? `; ${how}: ${moved.length === 0 ? "nothing moved" : `${moved.length} canaries moved`}` : "";
  const engines = reports.map(({ engine, absent, cells, crowd, sessions }) => {
    const name = `- ${engine.name} (${engine.language}): `;
    if (absent) return `${name}absent, ${absent.split("\n")[0]}`;
    const held = cells.filter(({ ok }) => ok).length;
    const cases = cells.reduce((sum, cell) => sum + cell.cases.length, 0);
    const others = told("eight at a time", crowd) + told("twice in a session", sessions);
    return `${name}${held} of ${cells.length} rows held, ${cases} attacks${others}`;
  });
  const proofs = [...proof].map(([engine, fired]) => `- ${engine} without its sandbox: ${fired.join(", ")} fired`);
  const versions = [
    `Node ${process.versions.node}`,
    versionOf("node_modules/.bin/deno", "--version"),
    versionOf("python3", "--version"),
    versionOf("bwrap", "--version"),
    versionOf("podman", "--version"),
    versionOf("uname", "-sr"),
  ];
  return [
    `${new Date().toISOString().slice(0, 10)}, ${versions.filter(Boolean).join(", ")}`,
    "",
    ...engines,
    ...proofs,
  ];
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
