import { CoordinatorError } from "../../errors.ts";

/** What a run has stored with so many bytes more; throws storage_full when that is more than one run may. */
export function countStored(before: number, bytes: number, maxMb: number): number {
  const stored = before + bytes;
  if (stored <= maxMb * 1_000_000) return stored;
  const most = `${maxMb} MB, as much as one run may (coordinator.sandbox.limits.storedMb)`;
  throw new CoordinatorError(
    "storage_full",
    `Nothing was written: with this the run would have stored more than ${most}`,
    {
      hint: "Keep less, or only the part that is needed. What the run has stored so far is kept.",
    },
  );
}

/** About as many bytes as JSON data takes, without making text of it. */
export function dataSize(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value) + 2;
  if (typeof value !== "object" || value === null) return 8;
  let size = 2;
  if (Array.isArray(value)) {
    for (const item of value) size += dataSize(item) + 1;
    return size;
  }
  for (const key of Object.keys(value)) size += key.length + 4 + dataSize((value as Record<string, unknown>)[key]);
  return size;
}
