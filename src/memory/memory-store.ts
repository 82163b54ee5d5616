import { CoordinatorError } from "../errors.ts";
import { isFields } from "../system/fields.ts";

/** What is known of an entry beside its value. */
export interface MemoryInfo {
  readonly namespace: string;
  readonly key: string;
  /** Another one after every write, and never one that the key has had before. */
  readonly revision: number;
  readonly created: string;
  readonly updated: string;
  readonly bytes: number;
  readonly metadata?: MemoryMetadata;
}

export type MemoryMetadata = Readonly<Record<string, unknown>>;

export interface MemoryEntry extends MemoryInfo {
  /** The value as JSON text, as it is kept: most who ask pass it on. */
  readonly json: string;
}

export interface MemoryKey {
  readonly namespace: string;
  readonly key: string;
}

export interface MemoryWrite extends MemoryKey {
  readonly value: unknown;
  /** What the entry had stays when absent. */
  readonly metadata?: MemoryMetadata | undefined;
  /** Writes only over this revision; 0 means that the key must be free. */
  readonly ifRevision?: number | undefined;
}

/** Values that guests keep by key, for all later runs of one owner. A write happens whole, and none comes between its parts. */
export interface MemoryStore {
  /** Throws storage_unavailable when its row cannot be read. */
  get(key: MemoryKey): Promise<MemoryEntry | undefined>;
  /** Throws memory_conflict, and writes nothing, when the revision is another. */
  set(write: MemoryWrite): Promise<MemoryInfo>;
  /** Applies a merge patch (RFC 7396) to the value, or makes the entry of it. */
  patch(key: MemoryKey, patch: unknown): Promise<MemoryEntry>;
  /** Whether there was one. */
  delete(key: MemoryKey): Promise<boolean>;
  /** By key; `after` is the key to go on behind. Rows that cannot be read are left out. */
  list(page: MemoryPage): Promise<MemoryInfo[]>;
  /** The keys of some of the rows that are left out: they can be deleted, and written again. */
  damaged(): Promise<string[]>;
  /** What all entries take. */
  usedBytes(): Promise<number>;
}

export interface MemoryPage {
  readonly namespace: string;
  readonly prefix?: string | undefined;
  readonly after?: string | undefined;
  readonly limit: number;
}

const mostValueBytes = 1_000_000;
const mostMetadataBytes = 16_000;
/** What an entry takes beside its value: small ones are not free. */
export const entryBytes = 256;

/**
 * RFC 7396: objects are merged, null removes, everything else replaces. Changes the target: a copy of one with very many
 * properties would take longer than all the rest.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged: Record<string, unknown> = isFields(target) ? target : {};
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

/** An entry as it is stored. */
interface EntryText {
  readonly json: string;
  readonly metadata: string | null;
  /** Without what every entry takes. */
  readonly bytes: number;
}

/** Throws input_invalid for what cannot be kept. `kept` is the metadata that the entry had, as text. */
export function entryText({ key, value, metadata }: MemoryWrite, kept: string | null): EntryText {
  const json = valueText(value);
  const beside = metadata === undefined ? kept : metadataText(metadata);
  return {
    json,
    metadata: beside,
    bytes: Buffer.byteLength(json) + Buffer.byteLength(beside ?? "") + Buffer.byteLength(key),
  };
}

function valueText(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new CoordinatorError("input_invalid", "There is no value to keep: give JSON data");
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostValueBytes) return text;
  throw new CoordinatorError(
    "input_invalid",
    `The value has ${bytes} bytes as JSON; a value may have ${mostValueBytes}`,
    {
      hint: "Keep large data as an artifact (artifacts.save), and its address here.",
    },
  );
}

function metadataText(metadata: MemoryMetadata): string {
  const text = JSON.stringify(metadata);
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostMetadataBytes) return text;
  throw new CoordinatorError(
    "input_invalid",
    `The metadata has ${bytes} bytes as JSON; it may have ${mostMetadataBytes}`,
  );
}

/** Throws storage_full when the memory, with this entry for the one before, would hold more than it may. */
export function refuseExcess(
  { key, bytes }: { readonly key: string; readonly bytes: number },
  before: { readonly bytes: number } | undefined,
  { used, most }: { readonly used: () => number; readonly most: number },
): void {
  const more = bytes - (before ? before.bytes : -entryBytes);
  if (more <= 0 || used() + more <= most) return;
  const message = `Nothing was written: with ${bytes} bytes for "${key}" the memory would hold more than ${most} bytes`;
  const hint = "Delete entries that are no longer needed (memory.delete), or raise coordinator.memory.maxMb.";
  throw new CoordinatorError("storage_full", message, { hint });
}

/** Throws memory_conflict when the entry is not the one that was to be replaced. */
export function refuseConflict(
  { key, ifRevision }: MemoryWrite,
  before: { readonly revision: number } | undefined,
): void {
  if (ifRevision === undefined || ifRevision === (before?.revision ?? 0)) return;
  const found = before ? `it has revision ${before.revision}` : "it is not there";
  const wanted = ifRevision === 0 ? "a free key" : `revision ${ifRevision}`;
  throw new CoordinatorError("memory_conflict", `"${key}" was not written: asked for ${wanted}, but ${found}`, {
    hint: "Read it again and decide again, or use memory.update(key, function), which does that.",
  });
}
