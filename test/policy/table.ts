import { plural } from "../../src/system/plural.ts";
import { type Assertion, matching, runTests } from "../attacks/attack-host.ts";
import type { Row } from "./row.ts";

/** A row, and how its tests came out. */
export interface Cell {
  readonly id: string;
  readonly what: string;
  readonly isHeld: boolean;
  readonly text: string;
}

export const begin = "<!-- policy: written by `node scripts/policy-table.mjs --write` -->";
export const end = "<!-- /policy -->";
const calls = "test/policy/calls.test.ts";

/** Runs the tests of the rows. */
export function tryRows(rows: readonly Row[]): readonly Cell[] {
  const files = [...new Set(rows.flatMap((row) => testsOf(row).map(([file]) => file)))];
  const results = files.length > 0 ? runTests(files) : new Map<string, readonly Assertion[]>();
  return rows.map((row) => {
    const { id, what } = row;
    if ("later" in row) return { id, what, isHeld: true, text: `later: issue ${row.later}` };
    const found = testsOf(row).flatMap(([file, name]) => matching(results.get(file) ?? [], file, name));
    const wrong = found.filter(({ status }) => status !== "passed");
    const many = plural(found.length, "test");
    const text = wrong.length === 0 ? `held: ${many}` : `FAILED: ${wrong.map(({ title }) => title).join("; ")}`;
    const each = "calls" in row ? `, ${plural(row.calls.length, "call")} each` : "";
    return { id, what, isHeld: wrong.length === 0, text: `${text}${each}` };
  });
}

function testsOf(row: Row): readonly (readonly [file: string, name: string])[] {
  if ("calls" in row) return [[calls, `${row.id} ${row.what}`.replaceAll("%", "%s")]];
  return "tests" in row ? row.tests : [];
}

/** The document with the table between its marks. A row that was not tried now is as it was. */
export function withTable(document: string, rows: readonly Row[], cells: readonly Cell[]): string {
  const [before, rest] = document.split(begin);
  const [old, after] = rest?.split(end) ?? [];
  if (before === undefined || old === undefined || after === undefined)
    throw new Error("docs/security.md has no place for the table");
  const tried = new Map(cells.map(({ id, what, text }) => [id, line([id, what, text])]));
  const known = new Map(old.split("\n").map((text) => [/^\| (\S+) \|/.exec(text)?.[1], text]));
  const lines = rows.flatMap(({ id }) => tried.get(id) ?? known.get(id) ?? []);
  return `${before}${begin}\n${[line(["row", "what is tried", "outcome"]), "|---|---|---|", ...lines].join("\n")}\n${end}${after}`;
}

export function line(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replace(/\s+/g, " ")).join(" | ")} |`;
}

/** Numbers first, as they are counted. */
export function inOrder(rows: readonly Row[]): readonly Row[] {
  const key = ({ id }: Row) => (/^\d/.test(id) ? `0${id}` : id);
  return rows.toSorted((one, other) => key(one).localeCompare(key(other), "en", { numeric: true }));
}
