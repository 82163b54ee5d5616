import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openDatabase } from "./database.ts";
import { migrate, schemaVersion } from "./migrate.ts";

test("a file that another process migrates while this one waits for the lock is not migrated twice", () => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  const [first, second] = [openDatabase(join(folder, "test.db")), openDatabase(join(folder, "test.db"))];
  onTestFinished(() => {
    for (const database of [first, second]) database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  migrate({
    ...second,
    transaction: (work) => {
      migrate(first);
      return second.transaction(work);
    },
  });
  expect(schemaVersion(first)).toBeGreaterThan(0);
  expect(schemaVersion(second)).toBe(schemaVersion(first));
});
