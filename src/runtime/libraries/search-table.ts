import { readFileSync } from "node:fs";
import { readWordVectors, type WordVectors } from "../../catalog/search/word-vectors.ts";
import { packageFile } from "../../system/package-file.ts";

let read: WordVectors | undefined;

/** What words mean, for the search. Seven megabytes, read when they are first needed. */
export function searchTable(): WordVectors {
  read ??= readWordVectors(readFileSync(packageFile("data/search-table.bin")));
  return read;
}
