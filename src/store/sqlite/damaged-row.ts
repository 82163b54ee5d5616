import { CoordinatorError } from "../../errors.ts";

/** A row that somebody else has written, or a broken disk. */
export function damagedRow(what: string, why: string, hint: string): CoordinatorError {
  return new CoordinatorError(
    "storage_unavailable",
    `Cannot read ${what}: its row in the database is damaged (${why})`,
    {
      hint,
    },
  );
}

/** Undefined for what is no JSON. */
export function parseStored(stored: unknown): unknown {
  try {
    return JSON.parse(String(stored));
  } catch {
    return undefined;
  }
}
