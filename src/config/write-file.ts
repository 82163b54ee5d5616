import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { CoordinatorError, messageOf, systemCode } from "../errors.ts";
import { printable } from "../system/printable.ts";
import { readFileWithin } from "../system/read-file.ts";
import { replaceFile } from "../system/replace-file.ts";

export interface FileWithBackup {
  readonly file: string;
  /** Where the text before is kept; absent for a new file. */
  readonly backup?: string;
}

/** As large as a file of a client's may be. */
const largest = 64_000_000;

/** Readers take it away. */
const byteOrderMark = "\uFEFF";

/**
 * Puts a user's file in place as a whole, and the one before beside it. A link stays a link, a byte order mark stays, and who
 * may read the file stays as it is; `secret` leaves it to the user alone.
 */
export async function writeWithBackup(path: string, text: string, secret: boolean): Promise<FileWithBackup> {
  const hint = "Nothing was changed. Make the file and its folder writable for this user.";
  try {
    const file = await targetOf(path);
    const before = await readFileWithin(file, { most: largest, code: "config_invalid", hint }).catch(absent);
    const mode = before === undefined || secret ? 0o600 : (await stat(file)).mode & 0o777;
    const backup = await backupOf(path);
    const textBefore = before?.toString("utf8");
    const mark = textBefore?.startsWith(byteOrderMark) ? byteOrderMark : "";
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    if (textBefore !== undefined) await replaceFile(backup, textBefore, { mode: 0o600, flush: true });
    await replaceFile(file, mark + text, { mode, flush: true });
    return { file, ...(before !== undefined && { backup }) };
  } catch (thrown) {
    throw new CoordinatorError("config_invalid", `Cannot write ${printable(path)}: ${messageOf(thrown)}`, {
      hint,
      cause: thrown,
    });
  }
}

/** Where the text before the last change of a file is kept. */
export async function backupOf(path: string): Promise<string> {
  return `${await targetOf(path)}.backup`;
}

async function targetOf(path: string): Promise<string> {
  const link = await lstat(path).catch(absent);
  return link === undefined ? path : realpath(path);
}

function absent(thrown: unknown): undefined {
  if (systemCode(thrown) !== "ENOENT") throw thrown;
}
