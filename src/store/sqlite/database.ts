import { createRequire } from "node:module";
import type Libsql from "libsql";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { endedCount } from "../../system/watched-work.ts";

/** What may be bound. A boolean must never get here: libsql aborts the whole process over one. */
export type Value = string | number | null | Uint8Array;

/** One open database file. Whatever SQLite refuses is thrown as `storage_unavailable`. */
export interface Database {
  readonly path: string;
  readonly isOpen: boolean;
  /** Runs one statement; answers the rows it changed and the number of the row it inserted last. */
  run(sql: string, values?: readonly Value[]): { readonly changes: number; readonly lastRow: number };
  get<Row>(sql: string, values?: readonly Value[]): Row | undefined;
  all<Row>(sql: string, values?: readonly Value[]): Row[];
  /** Runs statements that take no values. */
  execute(sql: string): void;
  /**
   * Takes the write lock first, so that what `work` reads cannot change before it writes. All of it happens, or nothing. One that
   * is durable outlives a power cut as soon as it returns.
   */
  transaction<Result>(work: () => Result, how?: { readonly isDurable: boolean }): Result;
  close(): void;
}

/** Opens (or makes) the database file at an absolute path. */
export function openDatabase(path: string): Database {
  const handle = guarded(path, "open", () => new (loadLibsql())(path));
  const statements = new Map<string, Libsql.Statement<[readonly Value[]]>>();
  const prepared = (sql: string) => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = handle.prepare<[readonly Value[]]>(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  let endedBefore = endedCount();
  const use = <Result>(work: () => Result) =>
    guarded(path, "use", () => {
      if (endedCount() !== endedBefore) undoAbandoned();
      return work();
    });
  /** A transaction that was ended in the middle, without its `catch`: nobody will commit it. */
  const undoAbandoned = (): void => {
    endedBefore = endedCount();
    if (handle.inTransaction) handle.exec("ROLLBACK");
  };

  const transact = <Result>(work: () => Result): Result => {
    use(() => prepared("BEGIN IMMEDIATE").run([]));
    try {
      const result = work();
      use(() => prepared("COMMIT").run([]));
      return result;
    } catch (thrown) {
      // SQLite itself rolls back on some failures, such as a full disk.
      if (handle.inTransaction) use(() => prepared("ROLLBACK").run([]));
      throw thrown;
    }
  };
  return {
    path,
    get isOpen() {
      return handle.open;
    },
    run: (sql, values = []) =>
      use(() => {
        const { changes, lastInsertRowid } = prepared(sql).run(values);
        return { changes, lastRow: Number(lastInsertRowid) };
      }),
    get: <Row>(sql: string, values: readonly Value[] = []) => use(() => prepared(sql).get(values) as Row | undefined),
    all: <Row>(sql: string, values: readonly Value[] = []) => use(() => prepared(sql).all(values) as Row[]),
    execute: (sql) => use(() => void handle.exec(sql)),
    transaction: (work, { isDurable } = { isDurable: false }) => {
      // Cannot be changed within a transaction.
      if (isDurable) use(() => void handle.exec("PRAGMA synchronous = FULL"));
      try {
        return transact(work);
      } finally {
        if (isDurable) use(() => void handle.exec("PRAGMA synchronous = NORMAL"));
      }
    },
    close: () => {
      // A statement keeps the file open until it is collected, also behind a closed connection.
      statements.clear();
      handle.close();
    },
  };
}

/** Loading libsql takes 15 to 20 ms, which commands that need no storage are spared. */
function loadLibsql(): typeof Libsql {
  return createRequire(import.meta.url)("libsql") as typeof Libsql;
}

function guarded<Result>(path: string, verb: "open" | "use", work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw new CoordinatorError("storage_unavailable", `Cannot ${verb} the database ${path}: ${messageOf(thrown)}`, {
      hint: hints.get(primaryCode(thrown)) ?? accessHint,
      cause: thrown,
    });
  }
}

export const accessHint =
  "Make the data folder and the files in it writable for this user, or set MCP_COORDINATOR_HOME to another folder.";

/** Whether it was another process's lock that made a statement fail. */
export function isBusy(thrown: unknown): boolean {
  return thrown instanceof CoordinatorError && primaryCode(thrown.cause) === busyCode;
}

const busyCode = 5;

const replaceHint = "Move the file away; the next start makes a new one.";

/** Fixes by SQLite's primary result code. */
const hints = new Map<number | undefined, string>([
  [1, replaceHint], // a table is missing
  [busyCode, "Another process holds the database. Try again, or end that process."],
  [10, "The disk failed to read or write. Check it, or set MCP_COORDINATOR_HOME to a folder on another one."],
  [11, replaceHint],
  [13, "The disk is full. Free some space."],
  [26, replaceHint],
]);

function primaryCode(thrown: unknown): number | undefined {
  if (typeof thrown !== "object" || thrown === null || !("rawCode" in thrown)) return undefined;
  return typeof thrown.rawCode === "number" ? thrown.rawCode & 0xff : undefined;
}
