import { type FSWatcher, mkdirSync, statSync, utimesSync, watch, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Database } from "./database.ts";

/** How coordinators on one data folder tell each other that something was decided. */
export interface ApprovalChanges {
  /** After the commit. Never throws: who was not told finds out when they look next. */
  tell(): void;
  watch(onChange: () => void): () => void;
}

/** How often the database is asked, should the file system have told nothing. */
const lookMs = 1000;

/**
 * Whoever decides touches a file, in a folder of its own: in the data folder every write to the database would wake the watchers.
 * It is the folder that is watched, so that the file may be deleted. Nothing is open while nobody watches.
 */
export function createApprovalChanges(database: Database): ApprovalChanges {
  const folder = join(dirname(database.path), "changes");
  const file = join(folder, "approvals");
  const listeners = new Set<() => void>();
  let watching: Disposable | undefined;
  const callAll = () => {
    for (const listener of [...listeners]) listener();
  };
  const touch = () => {
    const now = new Date();
    try {
      utimesSync(file, now, now);
    } catch {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(file, "", { mode: 0o600 });
    }
  };
  return {
    tell() {
      try {
        touch();
      } catch {} // a full disk, a folder that cannot be written: the commit counts, and the others look for it
      callAll();
    },
    watch(onChange) {
      const listener = () => onChange(); // so that one function may watch twice
      listeners.add(listener);
      watching ??= startWatching(database, folder, callAll);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        watching?.[Symbol.dispose]();
        watching = undefined;
      };
    },
  };
}

function startWatching(database: Database, folder: string, onChange: () => void): Disposable {
  let watcher: FSWatcher | undefined;
  let watched: number | undefined;
  const close = () => {
    watcher?.close();
    watcher = undefined;
  };
  /** Watches the folder that is there now; answers whether it is another one than before. */
  const follow = (): boolean => {
    const there = inodeOf(folder);
    if (watcher !== undefined && there === watched) return false;
    close();
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      watcher = watch(folder, { persistent: false }, (event) => {
        if (!database.isOpen) return end();
        // A folder that was removed or moved away says so as one that was renamed.
        if (event === "rename") follow();
        onChange();
      });
      watcher.on("error", close);
      watched = inodeOf(folder);
    } catch {
      close(); // no more watches to be had, or a file system without them: the looks remain
    }
    return true;
  };
  let seen = dataVersion(database);
  const look = () => {
    if (!database.isOpen) return end();
    const version = dataVersion(database);
    if (!follow() && version === seen) return;
    seen = version;
    onChange();
  };
  const timer = setInterval(look, lookMs).unref();
  const end = () => {
    clearInterval(timer);
    close();
  };
  follow();
  return { [Symbol.dispose]: end };
}

function inodeOf(folder: string): number | undefined {
  return statSync(folder, { throwIfNoEntry: false })?.ino;
}

/** Another number after each commit of another connection. */
function dataVersion(database: Database): number | undefined {
  return database.get<{ data_version: number }>("PRAGMA data_version")?.data_version;
}
