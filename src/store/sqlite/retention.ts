import { setTimeout as pause } from "node:timers/promises";
import { callIdsOf } from "./call-id.ts";
import type { Database } from "./database.ts";

export interface PruneOptions {
  readonly maxAgeDays?: number | undefined;
  readonly maxBytes?: number | undefined;
  readonly now?: number | undefined;
}

/** How much went. */
export interface Pruned {
  readonly runs: number;
  readonly catalogs: number;
}

const day = 24 * 60 * 60 * 1000;
const maxUnusedCatalogDays = 90;
/** An unfinished run younger than this may still go on. */
const unfinishedGrace = day;
/** Rows, and about as many bytes, that one transaction removes at most: what another process waits for, and our own thread. */
const batchRows = 500;
const batchBytes = 4 * 1024 * 1024;
/** Free pages that stay in the file for the next runs, and pages that one step hands back. */
const sparePages = 1000;
const vacuumPages = 500;
/** Between batches, so that a process that waits for the write lock gets it. */
const breath = 5;

/**
 * Removes runs with their calls, the oldest first, until none is older than the limit and the data fits the size;
 * then catalogs that nobody used; then gives the space back. Small steps, so that it can go on beside everything else;
 * it ends early when the database is closed.
 */
export async function prune(
  database: Database,
  { maxAgeDays = 30, maxBytes = 256 * 1024 * 1024, now = Date.now() }: PruneOptions = {},
): Promise<Pruned> {
  const graceEnd = now - unfinishedGrace;
  const tooOld = await pruneRuns(database, graceEnd, (run) => run.started_at < now - maxAgeDays * day);
  const tooMuch = await pruneRuns(database, graceEnd, () => usedBytes(database) > maxBytes);
  const catalogs = database.isOpen ? database.run(deleteCatalogs, [now - maxUnusedCatalogDays * day]).changes : 0;
  if (database.isOpen) database.run(deleteSkillNames, [mostGoneSkills]);
  if (database.isOpen) database.run(deleteApprovals, [now]);
  // What else is known of a server goes with its catalog.
  if (catalogs > 0) for (const table of ["observed_results", "definition_changes"]) database.run(deleteOrphans(table));
  await repeat(database, () => giveSpaceBack(database));
  return { runs: tooOld + tooMuch, catalogs };
}

/** Repeats a step, with pauses, until it says that there was nothing to do. */
async function repeat(database: Database, step: () => boolean): Promise<void> {
  while (database.isOpen && step()) await pause(breath);
}

/** Removes runs as long as the oldest one `goes`; answers how many went. */
async function pruneRuns(database: Database, graceEnd: number, goes: (run: RunRow) => boolean): Promise<number> {
  let removed = 0;
  /** The run that the last batch could only begin to remove. */
  let begun: number | undefined;

  /** Calls go before their run, so that a stop in between leaves no call without a run. */
  const removeBatch = (): boolean => {
    let rows = 0;
    let bytes = 0;
    for (const run of database.all<RunRow>(selectOldest, [graceEnd, batchRows])) {
      if (run.number !== begun && !goes(run)) return rows > 0;
      begun = run.number;
      rows += database.run(deleteCalls, [...callIdsOf(run.number), batchRows - rows]).changes;
      if (rows === batchRows) return true;
      rows += database.run(deleteBlobs, [run.number, batchBlobs]).changes;
      if (database.get(selectBlob, [run.number])) return true;
      bytes += run.bytes;
      rows += database.run("DELETE FROM runs WHERE number = ?", [run.number]).changes;
      removed++;
      if (bytes > batchBytes) return true;
    }
    return rows > 0;
  };
  await repeat(database, () => database.transaction(removeBatch));
  return removed;
}

interface RunRow {
  readonly number: number;
  readonly started_at: number;
  /** Of its code; its calls are counted by rows. */
  readonly bytes: number;
}

const selectOldest = `
  SELECT number, started_at, octet_length(code) AS bytes FROM runs WHERE finished_at IS NOT NULL OR started_at < ? ORDER BY number LIMIT ?`;

const deleteCalls = "DELETE FROM calls WHERE id IN (SELECT id FROM calls WHERE id >= ? AND id < ? ORDER BY id LIMIT ?)";

/** Some are of megabytes. */
const batchBlobs = 20;
const selectBlob = "SELECT 1 FROM blobs WHERE last_run = ? LIMIT 1";
const deleteBlobs = "DELETE FROM blobs WHERE number IN (SELECT number FROM blobs WHERE last_run = ? LIMIT ?)";

/** The number of a version is not given again: what of a deleted skill stays for that is its name, and not of all for ever. */
const mostGoneSkills = 10_000;
const deleteSkillNames = `
  DELETE FROM skills WHERE latest IS NULL AND number <=
    (SELECT number FROM skills WHERE latest IS NULL ORDER BY number DESC LIMIT 1 OFFSET ?)`;

/** What was decided goes with its run; what can still be decided stays. */
const deleteApprovals = `
  DELETE FROM approvals WHERE expires_at < ?
    AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.principal = approvals.principal AND runs.id = approvals.run)`;

const deleteCatalogs = "DELETE FROM catalogs WHERE used_at < ?";

const deleteOrphans = (table: string) => `DELETE FROM ${table} WHERE identity NOT IN (SELECT identity FROM catalogs)`;

function giveSpaceBack(database: Database): boolean {
  const { free } = sizes(database);
  if (free <= sparePages) return false;
  database.execute(`PRAGMA incremental_vacuum(${vacuumPages})`);
  // A file that was not made for it keeps its pages.
  return sizes(database).free < free;
}

export function usedBytes(database: Database): number {
  const { pages, free, bytes } = sizes(database);
  return (pages - free) * bytes;
}

function sizes(database: Database): { pages: number; free: number; bytes: number } {
  return database.get<{ pages: number; free: number; bytes: number }>(selectSizes) ?? { pages: 0, free: 0, bytes: 0 };
}

const selectSizes = `
  SELECT page_count AS pages, freelist_count AS free, page_size AS bytes
  FROM pragma_page_count, pragma_freelist_count, pragma_page_size`;
