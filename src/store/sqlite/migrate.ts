import { CoordinatorError } from "../../errors.ts";
import type { Database } from "./database.ts";

/**
 * Each step leads from the schema version of its index to the next. A published step is never edited.
 *
 * `calls.id` is the run's number and the call's ordinal in one integer (see call-id.ts): the calls of a run lie
 * together in the table without an index, so writing one touches a single page. Long texts stand last, so that
 * reading the columns before them does not read their pages.
 */
const steps: readonly string[] = [
  `
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    language TEXT NOT NULL,
    engine TEXT NOT NULL,
    client TEXT,
    owner_pid INTEGER NOT NULL,
    owner_mark TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    status TEXT,
    calls INTEGER,
    result_bytes INTEGER,
    stdout_bytes INTEGER,
    error TEXT,
    code TEXT NOT NULL
  );
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    outcome TEXT,
    milliseconds REAL,
    result_bytes INTEGER,
    error TEXT,
    args TEXT NOT NULL
  );
  CREATE TABLE catalogs (
    identity TEXT PRIMARY KEY,
    fetched_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    tool_count INTEGER NOT NULL,
    info TEXT NOT NULL,
    tools TEXT NOT NULL
  );
  `,
  `
  CREATE TABLE skills (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    last_version INTEGER NOT NULL,
    latest INTEGER,
    file_mark TEXT,
    file_version INTEGER,
    file_problem TEXT
  );
  CREATE TABLE skill_versions (
    skill INTEGER NOT NULL,
    version INTEGER NOT NULL,
    language TEXT NOT NULL,
    saved_at INTEGER NOT NULL,
    description TEXT NOT NULL,
    details TEXT NOT NULL,
    tests TEXT,
    code TEXT NOT NULL,
    UNIQUE (skill, version)
  );
  CREATE VIRTUAL TABLE skill_search USING fts5(
    name, tags, description, code, content = '', contentless_delete = 1, tokenize = 'porter unicode61'
  );
  `,
  // AUTOINCREMENT: a revision is never given twice, also when the newest entry was deleted.
  `
  CREATE TABLE memory (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    metadata TEXT,
    value TEXT NOT NULL,
    UNIQUE (namespace, key)
  );
  CREATE INDEX memory_bytes ON memory (bytes);
  `,
  `
  CREATE TABLE observed_results (
    identity TEXT NOT NULL,
    tool TEXT NOT NULL,
    drifted_at INTEGER,
    drift TEXT,
    shape TEXT NOT NULL,
    PRIMARY KEY (identity, tool)
  );
  CREATE TABLE definition_changes (
    number INTEGER PRIMARY KEY,
    identity TEXT NOT NULL,
    noticed_at INTEGER NOT NULL,
    told INTEGER NOT NULL DEFAULT 0,
    tool TEXT NOT NULL,
    kind TEXT NOT NULL,
    parts TEXT NOT NULL,
    diff TEXT NOT NULL
  );
  CREATE INDEX definition_changes_identity ON definition_changes (identity);
  `,
  // Long arguments stand once, by their hash, and go with the last run that has them.
  `
  ALTER TABLE calls ADD COLUMN args_hash TEXT;
  CREATE TABLE blobs (
    number INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    last_run INTEGER NOT NULL,
    content TEXT NOT NULL
  );
  CREATE INDEX blobs_last_run ON blobs (last_run);
  `,
  // Everything has an owner, who is the first part of its key.
  `
  ALTER TABLE runs ADD COLUMN principal TEXT NOT NULL DEFAULT 'local';
  CREATE INDEX runs_principal ON runs (principal, id);
  CREATE TABLE owned_memory (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    principal TEXT NOT NULL,
    namespace TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    metadata TEXT,
    value TEXT NOT NULL,
    UNIQUE (principal, namespace, key)
  );
  INSERT INTO owned_memory (revision, principal, namespace, key, created_at, updated_at, bytes, metadata, value)
    SELECT revision, 'local', namespace, key, created_at, updated_at, bytes, metadata, value FROM memory;
  DELETE FROM sqlite_sequence WHERE name = 'owned_memory';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'owned_memory', seq FROM sqlite_sequence WHERE name = 'memory';
  DROP TABLE memory;
  ALTER TABLE owned_memory RENAME TO memory;
  CREATE INDEX memory_bytes ON memory (principal, bytes);
  CREATE TABLE owned_skills (
    number INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    name TEXT NOT NULL,
    last_version INTEGER NOT NULL,
    latest INTEGER,
    file_mark TEXT,
    file_version INTEGER,
    file_problem TEXT,
    UNIQUE (principal, name)
  );
  INSERT INTO owned_skills (number, principal, name, last_version, latest, file_mark, file_version, file_problem)
    SELECT number, 'local', name, last_version, latest, file_mark, file_version, file_problem FROM skills;
  DROP TABLE skills;
  ALTER TABLE owned_skills RENAME TO skills;
  `,
  // A run belongs to a process of a node: two containers on one data folder have the same ids of processes.
  `
  ALTER TABLE runs ADD COLUMN node TEXT NOT NULL DEFAULT '';
  ALTER TABLE runs ADD COLUMN epoch TEXT NOT NULL DEFAULT '';
  UPDATE runs SET epoch = owner_pid || '.' || owner_mark;
  ALTER TABLE runs DROP COLUMN owner_pid;
  ALTER TABLE runs DROP COLUMN owner_mark;
  CREATE TABLE nodes (
    node TEXT NOT NULL,
    epoch TEXT NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (node, epoch)
  ) WITHOUT ROWID;
  `,
  // Before the tools, which are long: a search reads the digests of all servers, and no tools.
  `
  CREATE TABLE digested_catalogs (
    identity TEXT PRIMARY KEY,
    fetched_at INTEGER NOT NULL,
    used_at INTEGER NOT NULL,
    tool_count INTEGER NOT NULL,
    info TEXT NOT NULL,
    digest BLOB,
    tools TEXT NOT NULL
  );
  INSERT INTO digested_catalogs (identity, fetched_at, used_at, tool_count, info, tools)
    SELECT identity, fetched_at, used_at, tool_count, info, tools FROM catalogs;
  DROP TABLE catalogs;
  ALTER TABLE digested_catalogs RENAME TO catalogs;
  `,
  // Every search asks whether there are any, and nearly always there are none.
  `
  CREATE INDEX definition_changes_untold ON definition_changes (told) WHERE told = 0;
  `,
  // What was decided of a call, by which face its run came, what its client was answered, and what people were asked.
  `
  ALTER TABLE calls ADD COLUMN kind TEXT;
  ALTER TABLE calls ADD COLUMN decision TEXT;
  ALTER TABLE calls ADD COLUMN rule TEXT;
  ALTER TABLE calls ADD COLUMN policy TEXT;
  ALTER TABLE calls ADD COLUMN shadow TEXT;
  ALTER TABLE runs ADD COLUMN via TEXT;
  ALTER TABLE runs ADD COLUMN answer TEXT;
  CREATE TABLE approvals (
    number INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    run TEXT NOT NULL,
    kind TEXT NOT NULL,
    server TEXT NOT NULL,
    tool TEXT NOT NULL,
    identity TEXT NOT NULL,
    definition TEXT NOT NULL,
    args_hash TEXT NOT NULL,
    via TEXT,
    rule TEXT,
    policy TEXT,
    reason TEXT,
    approver TEXT,
    state TEXT NOT NULL,
    scope TEXT,
    uses INTEGER NOT NULL DEFAULT 0,
    most INTEGER NOT NULL DEFAULT 1,
    call INTEGER,
    asked_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decided_at INTEGER,
    decided_by TEXT,
    channel TEXT,
    note TEXT,
    args TEXT NOT NULL
  );
  CREATE TABLE questions (
    state TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    run TEXT NOT NULL,
    approvals TEXT NOT NULL,
    expires_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX approvals_run ON approvals (run);
  CREATE INDEX approvals_open ON approvals (state) WHERE state IN ('pending', 'approved');
  `,
  // What was accepted. Servers that were in use before there were pins count as accepted.
  `
  CREATE TABLE server_pins (
    principal TEXT NOT NULL,
    file TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    written TEXT,
    decided_at INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    PRIMARY KEY (principal, file, name)
  ) WITHOUT ROWID;
  CREATE TABLE pinned_lists (
    principal TEXT NOT NULL,
    server TEXT NOT NULL,
    kind TEXT NOT NULL,
    listed TEXT,
    PRIMARY KEY (principal, server, kind)
  ) WITHOUT ROWID;
  CREATE TABLE definition_pins (
    number INTEGER PRIMARY KEY,
    principal TEXT NOT NULL,
    server TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    state TEXT NOT NULL,
    hash TEXT,
    seen_hash TEXT,
    why TEXT NOT NULL,
    recent TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    decided_by TEXT NOT NULL,
    seen TEXT,
    accepted TEXT,
    UNIQUE (principal, server, kind, name)
  );
  CREATE TABLE used_before_pins (identity TEXT PRIMARY KEY) WITHOUT ROWID;
  INSERT INTO used_before_pins (identity) SELECT identity FROM catalogs;
  `,
];

/** Brings the file to this program's schema; processes that do so at the same moment wait for each other. */
export function migrate(database: Database): void {
  if (schemaVersion(database) === steps.length) return;
  database.transaction(() => {
    // Read again: another process may have migrated while this one waited for the lock.
    const found = schemaVersion(database);
    if (found > steps.length) throw newerSchema(database.path, found);
    for (const step of steps.slice(found)) database.execute(step);
    database.execute(`PRAGMA user_version = ${steps.length}`);
  });
}

/** 0 for a file that holds nothing yet. */
export function schemaVersion(database: Database): number {
  return database.get<{ user_version: number }>("PRAGMA user_version")?.user_version ?? 0;
}

function newerSchema(path: string, found: number): CoordinatorError {
  return new CoordinatorError(
    "storage_unavailable",
    `Cannot use the database ${path}: a newer mcp-coordinator wrote it (schema ${found}; this one knows ${steps.length})`,
    { hint: "Update mcp-coordinator, or set MCP_COORDINATOR_HOME to another folder." },
  );
}
