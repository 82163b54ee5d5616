import { CoordinatorError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { damagedRow, isMoment, parseStored } from "./damaged-row.ts";

/** What is known of an entry beside its value. */
interface MemoryInfo {
  readonly namespace: string;
  readonly key: string;
  /** Another one after every write, and never one that the key has had before. */
  readonly revision: number;
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  readonly metadata?: MemoryMetadata;
}

type MemoryMetadata = Readonly<Record<string, unknown>>;

interface MemoryEntry extends MemoryInfo {
  /** The value as JSON text, as it is kept: most who ask pass it on. */
  readonly json: string;
}

interface MemoryKey {
  readonly namespace: string;
  readonly key: string;
}

interface MemoryWrite extends MemoryKey {
  readonly value: unknown;
  /** What the entry had stays when absent. */
  readonly metadata?: MemoryMetadata | undefined;
  /** Writes only over this revision; 0 means that the key must be free. */
  readonly ifRevision?: number | undefined;
}

/** Values that guests keep by key, for all later runs. Every write is one transaction. */
export interface Memory {
  /** Throws storage_unavailable when its row cannot be read. */
  get(key: MemoryKey): MemoryEntry | undefined;
  /** Throws memory_conflict, and writes nothing, when the revision is another. */
  set(write: MemoryWrite): MemoryInfo;
  /** Applies a merge patch (RFC 7396) to the value, or makes the entry of it. */
  patch(key: MemoryKey, patch: unknown): MemoryEntry;
  /** Whether there was one. */
  delete(key: MemoryKey): boolean;
  /** By key; `after` is the key to go on behind. Rows that cannot be read are left out. */
  list(page: MemoryPage): MemoryInfo[];
  /** The keys of some of the rows that are left out: they can be deleted, and written again. */
  damaged(): string[];
  /** What all entries take. */
  usedBytes(): number;
}

interface MemoryPage {
  readonly namespace: string;
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

const megabyte = 1_000_000;
const mostValueBytes = megabyte;
const mostMetadataBytes = 16_000;
/** What an entry takes beside its value: small ones are not free. */
const entryBytes = 256;

export function createMemory(connection: Connection, principal: string, most = Number.POSITIVE_INFINITY): Memory {
  const usedBytes = () => connection.get<{ total: number }>(selectTotal, [entryBytes, principal])?.total ?? 0;
  const find = ({ namespace, key }: MemoryKey) => connection.get<Row>(selectEntry, [principal, namespace, key]);
  /** Inside a transaction: what was there is the `before` of the same moment. */
  const write = ({ namespace, key, value, metadata }: MemoryWrite, before: Row | undefined): MemoryEntry => {
    const text = valueText(value);
    const kept = metadata === undefined ? metadataIn(before) : metadataText(metadata);
    const bytes = Buffer.byteLength(text) + Buffer.byteLength(kept ?? "") + Buffer.byteLength(key);
    const more = bytes + entryBytes - (before ? before.bytes + entryBytes : 0);
    if (more > 0 && usedBytes() + more > most) throw full(key, bytes, most);
    const now = Date.now();
    const created = isMoment(before?.created_at) ? before.created_at : now;
    const { lastRow } = connection.run(replaceEntry, [principal, namespace, key, created, now, bytes, kept, text]);
    const row = { namespace, key, revision: lastRow, created_at: created, updated_at: now, bytes, metadata: kept };
    return { ...infoOf(row), json: text };
  };
  return {
    usedBytes,
    get(key) {
      const row = find(key);
      return row && entryOf(row);
    },
    set: (entry) =>
      connection.transaction(() => {
        const before = find(entry);
        const { ifRevision } = entry;
        if (ifRevision !== undefined && ifRevision !== (before?.revision ?? 0)) throw conflict(entry, before);
        const { json: _json, ...info } = write(entry, before);
        return info;
      }),
    patch: (key, patch) =>
      connection.transaction(() => {
        const before = find(key);
        const value = mergePatch(before && (JSON.parse(entryOf(before).json) as unknown), patch);
        return write({ ...key, value }, before);
      }),
    delete: ({ namespace, key }) => connection.run(deleteEntry, [principal, namespace, key]).changes > 0,
    list({ namespace, prefix = "", after = "", limit }) {
      return connection.all<InfoRow>(selectPage, [principal, namespace, after, prefix, prefix, limit]).map(infoOf);
    },
    damaged: () => connection.all<{ key: string }>(selectDamaged, [principal]).map(({ key }) => key),
  };
}

/**
 * RFC 7396: objects are merged, null removes, everything else replaces. Changes the target: a copy of one with very many
 * properties would take longer than all the rest.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = isObject(target) ? target : {};
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) {
      delete merged[name];
      continue;
    }
    const value = mergePatch(Object.hasOwn(merged, name) ? merged[name] : undefined, change);
    // Unlike an assignment, this makes a plain property of every name, "__proto__" included.
    Object.defineProperty(merged, name, { value, writable: true, enumerable: true, configurable: true });
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value) as string | undefined;
  if (text === undefined) throw new CoordinatorError("input_invalid", "There is no value to keep: give JSON data");
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostValueBytes) return text;
  throw new CoordinatorError("input_invalid", `The value has ${bytes} bytes as JSON, a value may have ${megabyte}`, {
    hint: "Keep large data as an artifact (artifacts.save), and its address here.",
  });
}

function metadataText(metadata: MemoryMetadata): string {
  const text = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostMetadataBytes) return text;
  throw new CoordinatorError("input_invalid", `The metadata has ${bytes} bytes as JSON, it may have 16000`);
}

function full(key: string, bytes: number, most: number): CoordinatorError {
  const message = `Nothing was written: with ${bytes} bytes for "${key}" the memory would hold more than ${most} bytes`;
  const hint = "Delete entries that are no longer needed (memory.delete), or raise coordinator.memory.maxMb.";
  return new CoordinatorError("storage_full", message, { hint });
}

function conflict({ key, ifRevision }: MemoryWrite, before: Row | undefined): CoordinatorError {
  const found = before ? `it has revision ${before.revision}` : "it is not there";
  const wanted = ifRevision === 0 ? "a free key" : `revision ${ifRevision}`;
  return new CoordinatorError("memory_conflict", `"${key}" was not written: asked for ${wanted}, but ${found}`, {
    hint: "Read it again and decide anew, or use memory.update(key, function), which does that.",
  });
}

interface InfoRow {
  namespace: string;
  key: string;
  revision: number;
  created_at: number;
  updated_at: number;
  bytes: number;
  metadata: string | null;
}

interface Row extends InfoRow {
  value: string;
  /** Whether the value is JSON. */
  sound: number;
}

function infoOf(row: InfoRow): MemoryInfo {
  return {
    namespace: row.namespace,
    key: row.key,
    revision: row.revision,
    created: new Date(row.created_at).toISOString(),
    updated: new Date(row.updated_at).toISOString(),
    bytes: row.bytes,
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) as MemoryMetadata }),
  };
}

/** The text of the metadata that stays; none where it cannot be read. */
function metadataIn(row: Row | undefined): string | null {
  return row && isObject(parseStored(row.metadata)) ? row.metadata : null;
}

function entryOf(row: Row): MemoryEntry {
  const isSound = row.sound === 1;
  const areTimes = isMoment(row.created_at) && isMoment(row.updated_at);
  if (isSound && areTimes && (row.metadata === null || metadataIn(row) !== null)) {
    return { ...infoOf(row), json: row.value };
  }
  const why = !isSound ? "its value is not JSON" : "its times or its metadata are not as they are written";
  throw damagedRow(`"${row.key}" of the memory`, why, "Write it again, or delete it; other keys are as they were.");
}

const infoColumns = "namespace, key, revision, created_at, updated_at, bytes, metadata";

const selectEntry = `SELECT ${infoColumns}, value, json_valid(value) AS sound FROM memory
  WHERE principal = ? AND namespace = ? AND key = ?`;

// In the database, so that a page has as many rows as were asked for.
const isTime = (column: string) => `(typeof(${column}) = 'integer' AND abs(${column}) <= 8640000000000000)`;
const isSound = `(${isTime("created_at")} AND ${isTime("updated_at")} AND CASE
  WHEN metadata IS NULL THEN 1 WHEN json_valid(metadata) THEN json_type(metadata) = 'object' ELSE 0 END)`;

const selectPage = `
  SELECT ${infoColumns} FROM memory
  WHERE principal = ? AND namespace = ? AND key > ? AND substr(key, 1, length(?)) = ? AND ${isSound} ORDER BY key LIMIT ?`;

const selectDamaged = `SELECT key FROM memory WHERE principal = ? AND NOT ${isSound} ORDER BY namespace, key LIMIT 20`;

const selectTotal = "SELECT sum(bytes) + count(*) * ? AS total FROM memory WHERE principal = ?";

/** The row that was there goes, and the new one gets the next number: its revision. */
const replaceEntry = `
  INSERT OR REPLACE INTO memory (principal, namespace, key, created_at, updated_at, bytes, metadata, value)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const deleteEntry = "DELETE FROM memory WHERE principal = ? AND namespace = ? AND key = ?";
