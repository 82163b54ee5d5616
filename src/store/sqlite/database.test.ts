import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { CoordinatorError } from "../../errors.ts";
import { type Database, isBusy, openDatabase } from "./database.ts";

test("a transaction that throws leaves nothing behind, and the next one works", () => {
  const database = open(temporaryFile());
  const failing = () =>
    database.transaction(() => {
      database.run("INSERT INTO words VALUES ('lost')");
      throw new Error("second thoughts");
    });
  expect(failing).toThrow("second thoughts");
  database.transaction(() => database.run("INSERT INTO words VALUES (?)", ["kept"]));
  expect(database.all("SELECT word FROM words")).toEqual([{ word: "kept" }]);
});

test("a lock of another connection is an error of the host that says so", () => {
  const path = temporaryFile();
  const [holder, waiting] = [open(path), open(path)];
  const thrown = holder.transaction(() => thrownBy(() => waiting.transaction(() => undefined)));
  expect(isBusy(thrown)).toBe(true);
  expect(thrown).toMatchObject({
    code: "storage_unavailable",
    message: `Cannot use the database ${path}: database is locked`,
    hint: "Another process holds the database. Try again, or end that process.",
  });
  expect(() => waiting.transaction(() => undefined)).not.toThrow();
});

test("a wrong statement is an error of the host that is not about a lock", () => {
  const thrown = thrownBy(() => open(temporaryFile()).run("SELECT nothing FROM nowhere"));
  expect(thrown).toBeInstanceOf(CoordinatorError);
  expect(isBusy(thrown)).toBe(false);
});

function temporaryFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "database-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "test.db");
}

function open(path: string): Database {
  const database = openDatabase(path);
  onTestFinished(() => database.close());
  database.execute("PRAGMA busy_timeout = 0; CREATE TABLE IF NOT EXISTS words (word TEXT)");
  return database;
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
}
