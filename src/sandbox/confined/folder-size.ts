import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/** Bytes on disk of all that is in a folder; what vanishes meanwhile does not count. Follows no link. */
export async function folderSize(folder: string): Promise<number> {
  let total = 0;
  const waiting = [folder];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const place = next;
    const entries = await readdir(place, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) if (entry.isDirectory()) waiting.push(join(place, entry.name));
    const sizes = await Promise.all(entries.map((entry) => sizeOf(join(place, entry.name))));
    total += sizes.reduce((sum, size) => sum + size, 0);
  }
  return total;
}

const blockBytes = 512;

async function sizeOf(path: string): Promise<number> {
  const { blocks = 0 } = await lstat(path).catch(() => ({ blocks: 0 }));
  return blocks * blockBytes;
}
