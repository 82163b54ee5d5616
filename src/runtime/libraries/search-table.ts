import { readFileSync } from "node:fs";
import { readWordVectors, type WordVectors } from "../../catalog/search/word-vectors.ts";
import { packageFile } from "../../system/package-file.ts";

let read: WordVectors | undefined;
let idle: NodeJS.Timeout | undefined;

/** Before an idle coordinator gives memory back (runtime/toolchains.ts); reading it again takes 10 ms. */
const idleMs = 3 * 60_000;

/** What words mean, for the search. Ten megabytes, read when they are needed and kept as long as somebody searches. */
export function searchTable(): WordVectors {
  read ??= readWordVectors(readFileSync(packageFile("data/search-table.bin")));
  idle = idle?.refresh() ?? setTimeout(forget, idleMs).unref();
  return read;
}

function forget(): void {
  read = undefined;
  idle = undefined;
}
