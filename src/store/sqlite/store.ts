import { accessSync, closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { local } from "../../actor.ts";
import type { ApprovalStore } from "../../approvals/approval-store.ts";
import type { Journal } from "../../door/journal.ts";
import { CoordinatorError, messageOf } from "../../errors.ts";
import type { MemoryStore } from "../../memory/memory-store.ts";
import type { CatalogCache } from "../../runtime/libraries/catalog-cache.ts";
import type { DefinitionChanges } from "../../runtime/libraries/definition-changes.ts";
import type { ObservedResults } from "../../runtime/libraries/observed-results.ts";
import type { PinStore } from "../../servers/pins/pin-store.ts";
import type { SkillQuota, SkillStore } from "../../skills/skill-store.ts";
import { createApprovals } from "./approvals.ts";
import { createCallLog, recoverCalls } from "./call-log.ts";
import { createCatalogCache } from "./catalog-cache.ts";
import { accessHint, type Database, isBusy, openDatabase } from "./database.ts";
import { createDefinitionChanges } from "./definition-changes.ts";
import { insertLogged, SqliteJournal } from "./journal.ts";
import { createMemoryStore } from "./memory.ts";
import { migrate, schemaVersion } from "./migrate.ts";
import { createNodes } from "./nodes.ts";
import { createObservedResults } from "./observed-results.ts";
import { createPins } from "./pins.ts";
import { type Pruned, type PruneOptions, prune, usedBytes } from "./retention.ts";
import { createSkills } from "./skills.ts";

/** The durable data of all coordinators that share a data folder: one SQLite file, open in each of them. */
export interface Store extends Disposable {
  readonly journal: Journal;
  readonly catalogs: CatalogCache;
  readonly skills: SkillStore;
  readonly memory: MemoryStore;
  readonly approvals: ApprovalStore;
  readonly pins: PinStore;
  readonly observed: ObservedResults;
  readonly definitionChanges: DefinitionChanges;
  /** The size of what is in it, without what was deleted and not given back yet. */
  usedBytes(): Promise<number>;
  /** Removes what is old or too much, in small steps. For the background. */
  prune(options?: PruneOptions): Promise<Pruned>;
  /** Writes what waits. A second close does nothing. */
  close(): void;
}

/** What it may hold; without limits where absent. */
export interface StoreLimits {
  readonly skills?: SkillQuota;
  readonly memoryBytes?: number;
  readonly journal?: Pick<PruneOptions, "maxAgeDays" | "maxBytes">;
}

/** What belongs to a user is that of the principal; what is known of servers is everybody's. */
export function openStore(home: string, limits: StoreLimits = {}, { principal } = local): Store {
  const folder = resolve(home);
  const path = join(folder, "coordinator.db");
  prepareFile(folder, path);
  const database = openMigrated(path);
  const nodes = createNodes(database);
  recoverCalls(folder, nodes.isAlive, (entries) => insertLogged(database, entries));
  const { maxBytes = Number.POSITIVE_INFINITY } = limits.journal ?? {};
  const pruneWith = (options?: PruneOptions) => prune(database, { ...limits.journal, ...options });
  let isPruning = false;
  const journal = new SqliteJournal(database, principal, createCallLog(folder), nodes, {
    growthBytes: maxBytes * growthShare,
    onGrown() {
      if (isPruning) return;
      isPruning = true;
      pruneWith()
        .catch(() => {}) // the next growth, or the next start, tries again
        .finally(() => {
          isPruning = false;
        });
    },
  });
  const close = () => {
    if (!database.isOpen) return;
    nodes.close();
    try {
      journal.close();
    } finally {
      database.close();
    }
  };
  return {
    journal,
    catalogs: createCatalogCache(database),
    skills: createSkills(database, principal, limits.skills),
    memory: createMemoryStore(database, principal, limits.memoryBytes),
    approvals: createApprovals(database, principal),
    pins: createPins(database, principal),
    observed: createObservedResults(database),
    definitionChanges: createDefinitionChanges(database),
    usedBytes: async () => usedBytes(database),
    prune: pruneWith,
    close,
    [Symbol.dispose]: close,
  };
}

/** SQLite gives its side files the mode of the database, so the database is made here, for this user alone. */
function prepareFile(folder: string, path: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // An existing file is not opened: closing it would drop the locks that another store of this process has on it.
    if (!existsSync(path)) closeSync(openSync(path, "a", 0o600));
    accessSync(folder, constants.W_OK);
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch (thrown) {
    throw new CoordinatorError("storage_unavailable", `Cannot use the data folder ${folder}: ${messageOf(thrown)}`, {
      hint: accessHint,
      cause: thrown,
    });
  }
}

function openMigrated(path: string): Database {
  const database = openDatabase(path);
  try {
    setUp(database);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** SQLite does not wait for a writer when it switches a file to WAL, but refuses at once: hence the further attempts. */
function setUp(database: Database): void {
  const deadline = Date.now() + lockPatience;
  for (;;) {
    try {
      database.execute(`PRAGMA busy_timeout = ${lockPatience}`);
      // Can only be chosen before anything is written.
      if (schemaVersion(database) === 0) database.execute("PRAGMA auto_vacuum = INCREMENTAL");
      database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
      migrate(database);
      return;
    } catch (thrown) {
      if (!isBusy(thrown) || Date.now() > deadline) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

/** Of its size: what this process writes before it looks whether the journal has become too large. */
const growthShare = 0.02;

/** How many milliseconds a statement waits for another process. */
const lockPatience = 5000;
