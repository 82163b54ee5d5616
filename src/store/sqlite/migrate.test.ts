import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "./connection.ts";
import { migrate, schemaVersion } from "./migrate.ts";

test("a file that another process migrates while this one waits for the lock is not migrated twice", () => {
  const folder = mkdtempSync(join(tmpdir(), "migrate-"));
  const [first, second] = [connect(join(folder, "test.db")), connect(join(folder, "test.db"))];
  onTestFinished(() => {
    for (const connection of [first, second]) connection.close();
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
