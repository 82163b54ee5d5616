import { readdirSync } from "node:fs";
import type { Row } from "./row.ts";

/** All rows of all files here whose names end so. Run from the root of the repository. */
export async function readRows(): Promise<readonly Row[]> {
  const names = readdirSync("test/policy").flatMap((file) => /^(.*)rows\.ts$/.exec(file)?.[1] ?? []);
  const modules = await Promise.all(names.sort().map((name): Promise<object> => import(`./${name}rows.ts`)));
  return modules.flatMap((module) => Object.values(module).flatMap((value: unknown) => rowsIn(value)));
}

function rowsIn(value: unknown): readonly Row[] {
  return Array.isArray(value) ? value.filter(isRow) : [];
}

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && "id" in value && "what" in value;
}
