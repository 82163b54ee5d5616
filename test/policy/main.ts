import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { readRows } from "./every-row.ts";
import { inOrder, tryRows, withTable } from "./table.ts";

const file = "docs/security.md";

/** The command `node scripts/policy-table.mjs`; answers with its exit code. */
export async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { row: { type: "string" }, write: { type: "boolean" } } });
  const { row = "", write = false } = values;
  const rows = inOrder(await readRows());
  const cells = tryRows(rows.filter(({ id }) => id.startsWith(row)));
  for (const { id, what, text } of cells) console.log(`${id.padEnd(4)} ${text}  (${what})`);
  if (write) writeFileSync(file, withTable(readFileSync(file, "utf8"), rows, cells));
  return cells.every(({ isHeld }) => isHeld) ? 0 : 1;
}
