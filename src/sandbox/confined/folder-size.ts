import { lstat, opendir } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../../errors.ts";

export interface FolderSize {
  readonly bytes: number;
  /** Files, folders and links. */
  readonly entries: number;
}

/**
 * What all that is in a folder takes on disk; what vanishes meanwhile does not count. Follows no link, and stops
 * counting where there are more entries than asked for.
 */
export async function folderSize(folder: string, mostEntries: number): Promise<FolderSize> {
  let [bytes, entries] = [0, 0];
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined && entries <= mostEntries; next = waiting.pop()) {
    for await (const batch of batches(next)) {
      entries += batch.length;
      if (entries > mostEntries) break;
      for (const entry of batch) if (entry.isFolder) waiting.push(entry.path);
      const sizes = await Promise.all(batch.map(({ path }) => sizeOf(path)));
      bytes += sizes.reduce((sum, size) => sum + size, 0);
    }
  }
  return { bytes, entries };
}

const batchSize = 256;

/** One folder may hold more than should be in memory at once. */
async function* batches(folder: string): AsyncGenerator<{ path: string; isFolder: boolean }[]> {
  const opened = await opendir(folder, { bufferSize: batchSize }).catch(() => undefined);
  let batch: { path: string; isFolder: boolean }[] = [];
  try {
    for await (const entry of opened ?? []) {
      batch.push({ path: join(folder, entry.name), isFolder: entry.isDirectory() });
      if (batch.length < batchSize) continue;
      yield batch;
      batch = [];
    }
  } catch (thrown) {
    if (systemCode(thrown) !== "ENOENT") throw thrown;
  }
  yield batch;
}

const blockBytes = 512;

async function sizeOf(path: string): Promise<number> {
  const { blocks = 0 } = await lstat(path).catch(() => ({ blocks: 0 }));
  return blocks * blockBytes;
}
