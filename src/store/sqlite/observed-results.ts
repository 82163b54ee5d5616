import type { ObservedResults } from "../../runtime/libraries/observed-results.ts";
import type { Database } from "./database.ts";

/** Of one server; those that were learned first go first. */
const mostTools = 1000;

export function createObservedResults(database: Database): ObservedResults {
  const shapeOf = (identity: string, tool: string): unknown => {
    const row = database.get<{ shape: string }>(selectOne, [identity, tool]);
    return row && JSON.parse(row.shape);
  };
  return {
    shapeOf: async (identity, tool) => shapeOf(identity, tool),
    of: async (identity) =>
      new Map(database.all<Row>(select, [identity]).map((row) => [row.tool, resultOf(row)] as const)),
    change: async (identity, tool, change) =>
      database.transaction(() => {
        const known = shapeOf(identity, tool);
        const { shape, drift = null } = change(known);
        database.run(upsert, [identity, tool, drift === null ? null : Date.now(), drift, JSON.stringify(shape)]);
        if (known === undefined) database.run(deleteSurplus, [identity, identity, mostTools]);
      }),
  };
}

interface Row {
  tool: string;
  drifted_at: number | null;
  drift: string | null;
  shape: string;
}

function resultOf({ shape, drifted_at: at, drift: text }: Row) {
  return { shape: JSON.parse(shape), ...(at !== null && text !== null && { drift: { at, text } }) };
}

const select = "SELECT tool, drifted_at, drift, shape FROM observed_results WHERE identity = ?";

const selectOne = "SELECT shape FROM observed_results WHERE identity = ? AND tool = ?";

const upsert = `
  INSERT INTO observed_results (identity, tool, drifted_at, drift, shape) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (identity, tool) DO UPDATE SET shape = excluded.shape,
    drifted_at = coalesce(excluded.drifted_at, drifted_at), drift = coalesce(excluded.drift, drift)`;

const deleteSurplus = `
  DELETE FROM observed_results WHERE identity = ? AND rowid <= (
    SELECT rowid FROM observed_results WHERE identity = ? ORDER BY rowid DESC LIMIT 1 OFFSET ?)`;
