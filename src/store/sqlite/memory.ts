import { isMoment } from "../../door/journal.ts";
import {
  entryBytes,
  entryText,
  type MemoryEntry,
  type MemoryInfo,
  type MemoryKey,
  type MemoryMetadata,
  type MemoryStore,
  type MemoryWrite,
  mergePatch,
  refuseConflict,
  refuseExcess,
} from "../../memory/memory-store.ts";
import { isFields } from "../../system/fields.ts";
import { damagedRow, parseStored } from "./damaged-row.ts";
import type { Database } from "./database.ts";

export function createMemoryStore(database: Database, principal: string, most = Number.POSITIVE_INFINITY): MemoryStore {
  const used = () => database.get<{ total: number }>(selectTotal, [entryBytes, principal])?.total ?? 0;
  const find = ({ namespace, key }: MemoryKey) => database.get<Row>(selectEntry, [principal, namespace, key]);
  /** Inside a transaction: what was there is the `before` of the same moment. */
  const write = (entry: MemoryWrite, before: Row | undefined): MemoryEntry => {
    const { namespace, key } = entry;
    const { json, metadata, bytes } = entryText(entry, metadataIn(before));
    refuseExcess({ key, bytes }, before, { used, most });
    const now = Date.now();
    const created = isMoment(before?.created_at) ? before.created_at : now;
    const { lastRow } = database.run(replaceEntry, [principal, namespace, key, created, now, bytes, metadata, json]);
    return {
      ...infoOf({ namespace, key, revision: lastRow, created_at: created, updated_at: now, bytes, metadata }),
      json,
    };
  };
  return {
    usedBytes: async () => used(),
    async get(key) {
      const row = find(key);
      return row && entryOf(row);
    },
    set: async (entry) =>
      database.transaction(() => {
        const before = find(entry);
        refuseConflict(entry, before);
        const { json: _json, ...info } = write(entry, before);
        return info;
      }),
    patch: async (key, patch) =>
      database.transaction(() => {
        const before = find(key);
        const value = mergePatch(before && (JSON.parse(entryOf(before).json) as unknown), patch);
        return write({ ...key, value }, before);
      }),
    delete: async ({ namespace, key }) => database.run(deleteEntry, [principal, namespace, key]).changes > 0,
    async list({ namespace, prefix = "", after = "", limit }) {
      return database.all<InfoRow>(selectPage, [principal, namespace, after, prefix, prefix, limit]).map(infoOf);
    },
    damaged: async () => database.all<{ key: string }>(selectDamaged, [principal]).map(({ key }) => key),
  };
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
  return row && isFields(parseStored(row.metadata)) ? row.metadata : null;
}

function entryOf(row: Row): MemoryEntry {
  const isSound = row.sound === 1;
  const areTimes = isMoment(row.created_at) && isMoment(row.updated_at);
  if (isSound && areTimes && (row.metadata === null || metadataIn(row) !== null)) {
    return { ...infoOf(row), json: row.value };
  }
  const why = !isSound ? "its value is not JSON" : "its times or its metadata are not valid";
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
