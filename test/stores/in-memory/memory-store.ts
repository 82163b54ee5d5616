import {
  entryBytes,
  entryText,
  type MemoryEntry,
  type MemoryInfo,
  type MemoryKey,
  type MemoryMetadata,
  type MemoryPage,
  type MemoryStore,
  type MemoryWrite,
  mergePatch,
  refuseConflict,
  refuseExcess,
} from "../../../src/memory/memory-store.ts";
import { byText } from "./by-text.ts";

/** An entry as it is kept. */
interface Kept extends MemoryKey {
  readonly principal: string;
  readonly revision: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly bytes: number;
  readonly metadata: string | null;
  readonly json: string;
}

/** What the memories of all owners share. */
export function memoryEntries() {
  return { kept: new Map<string, Kept>(), lastRevision: 0 };
}

export function createMemoryInMemory({
  entries = memoryEntries(),
  principal = "local",
  most = Number.POSITIVE_INFINITY,
} = {}): MemoryStore {
  const placeOf = ({ namespace, key }: MemoryKey) => JSON.stringify([principal, namespace, key]);
  const own = () => [...entries.kept.values()].filter((entry) => entry.principal === principal);
  const used = () => own().reduce((sum, { bytes }) => sum + bytes + entryBytes, 0);
  const write = (entry: MemoryWrite, before: Kept | undefined): Kept => {
    const { namespace, key } = entry;
    const { json, metadata, bytes } = entryText(entry, before?.metadata ?? null);
    refuseExcess({ key, bytes }, before, { used, most });
    const [revision, now] = [++entries.lastRevision, Date.now()];
    const times = { createdAt: before?.createdAt ?? now, updatedAt: now };
    const kept: Kept = { principal, namespace, key, revision, ...times, bytes, metadata, json };
    entries.kept.set(placeOf(entry), kept);
    return kept;
  };
  return {
    async get(key) {
      const kept = entries.kept.get(placeOf(key));
      return kept && entryOf(kept);
    },
    async set(entry) {
      const before = entries.kept.get(placeOf(entry));
      refuseConflict(entry, before);
      return infoOf(write(entry, before));
    },
    async patch(key, patch) {
      const before = entries.kept.get(placeOf(key));
      return entryOf(write({ ...key, value: mergePatch(before && JSON.parse(before.json), patch) }, before));
    },
    delete: async (key) => entries.kept.delete(placeOf(key)),
    list: async (page) => own().filter(isOn(page)).sort(byText("key")).slice(0, page.limit).map(infoOf),
    damaged: async () => [],
    usedBytes: async () => used(),
  };
}

function isOn({ namespace, prefix = "", after }: MemoryPage): (entry: Kept) => boolean {
  return (entry) =>
    entry.namespace === namespace && entry.key.startsWith(prefix) && (after === undefined || entry.key > after);
}

function infoOf({ namespace, key, revision, createdAt, updatedAt, bytes, metadata }: Kept): MemoryInfo {
  return {
    namespace,
    key,
    revision,
    created: new Date(createdAt).toISOString(),
    updated: new Date(updatedAt).toISOString(),
    bytes,
    ...(metadata !== null && { metadata: JSON.parse(metadata) as MemoryMetadata }),
  };
}

function entryOf(kept: Kept): MemoryEntry {
  return { ...infoOf(kept), json: kept.json };
}
