import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore, type Store, type StoreLimits } from "../../src/store/sqlite/store.ts";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stores-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Gives each owner a store in SQLite, all in one data folder. */
export function openStores(limits: StoreLimits = {}): (principal?: string) => Store {
  const home = temporaryFolder();
  return (principal = "local") => {
    const store = openStore(home, limits, { principal });
    onTestFinished(() => store.close());
    return store;
  };
}
