import type { CatalogCache } from "../../runtime/libraries/catalog-cache.ts";
import type { Database } from "./database.ts";

/** Entries touched this recently are not written again. */
const touchInterval = 24 * 60 * 60 * 1000;

export function createCatalogCache(database: Database): CatalogCache {
  return {
    async read(identities) {
      const rows = database.all<EntryRow>(selectEntries, [JSON.stringify([...identities])]);
      return new Map(rows.map((row) => [row.identity, entryOf(row)]));
    },
    async summaries(identities) {
      const rows = database.all<SummaryRow>(selectSummaries, [JSON.stringify([...identities])]);
      return new Map(rows.map((row) => [row.identity, summaryOf(row)]));
    },
    async digests(identities) {
      const rows = database.all<DigestRow>(selectDigests, [JSON.stringify([...identities])]);
      return new Map(rows.map((row) => [row.identity, digestOf(row)]));
    },
    async tool(identity, position) {
      const found = database.get<{ tool: string | null }>(selectTool, [`$[${position}]`, identity])?.tool;
      return found == null ? undefined : JSON.parse(found);
    },
    async write(identity, { tools, info, digest }) {
      const now = Date.now();
      const text = JSON.stringify(tools);
      return database.transaction(() => {
        const before = database.get<{ tools: string }>(selectTools, [identity])?.tools;
        // JSON has no undefined; an absent info reads back as null.
        database.run(upsert, [identity, now, now, tools.length, JSON.stringify(info) ?? "null", digest ?? null, text]);
        return before === undefined || before === text ? undefined : (JSON.parse(before) as unknown[]);
      });
    },
    async keepDigest(identity, fetchedAt, digest) {
      database.run(updateDigest, [digest, identity, fetchedAt]);
    },
    async touch(identities) {
      const now = Date.now();
      const stale = [JSON.stringify([...identities]), now - touchInterval];
      if (database.get(selectStale, stale) !== undefined) database.run(updateStale, [now, ...stale]);
    },
  };
}

interface SummaryRow {
  identity: string;
  tool_count: number;
  info: string;
  fetched_at: number;
}

interface DigestRow {
  identity: string;
  info: string;
  fetched_at: number;
  digest: ArrayBuffer | null;
}

interface EntryRow {
  identity: string;
  tools: string;
  info: string;
  fetched_at: number;
}

function summaryOf(row: SummaryRow) {
  return { toolCount: row.tool_count, info: JSON.parse(row.info), fetchedAt: row.fetched_at };
}

function digestOf({ info, fetched_at, digest }: DigestRow) {
  return { info: JSON.parse(info), fetchedAt: fetched_at, ...(digest && { digest: new Uint8Array(digest) }) };
}

function entryOf(row: EntryRow) {
  return { tools: JSON.parse(row.tools) as unknown[], info: JSON.parse(row.info), fetchedAt: row.fetched_at };
}

const among = "identity IN (SELECT value FROM json_each(?))";

const selectEntries = `SELECT identity, tools, info, fetched_at FROM catalogs WHERE ${among}`;

const selectTools = "SELECT tools FROM catalogs WHERE identity = ?";

const selectSummaries = `SELECT identity, tool_count, info, fetched_at FROM catalogs WHERE ${among}`;

const selectDigests = `SELECT identity, info, fetched_at, digest FROM catalogs WHERE ${among}`;

const selectTool = "SELECT json_extract(tools, ?) AS tool FROM catalogs WHERE identity = ?";

const upsert = `
  INSERT INTO catalogs (identity, fetched_at, used_at, tool_count, info, digest, tools) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (identity) DO UPDATE SET fetched_at = excluded.fetched_at, used_at = excluded.used_at,
    tool_count = excluded.tool_count, info = excluded.info, digest = excluded.digest, tools = excluded.tools`;

const updateDigest = "UPDATE catalogs SET digest = ? WHERE identity = ? AND fetched_at = ?";

const selectStale = `SELECT 1 FROM catalogs WHERE ${among} AND used_at < ? LIMIT 1`;

const updateStale = `UPDATE catalogs SET used_at = ? WHERE ${among} AND used_at < ?`;
