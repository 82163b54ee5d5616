import { createHash, randomBytes, randomUUID, timingSafeEqual } from "node:crypto";
import { link, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CoordinatorError, messageOf, systemCode } from "../../errors.ts";
import { readFileWithin } from "../../system/read-file.ts";

export interface HttpToken {
  /** Where it is kept; the user may write a token of their own into it. */
  readonly file: string;
  /** The token itself where it was made just now, to be shown once. */
  readonly made?: string;
  /** Whether an Authorization header carries the token. */
  isIn(header: string | undefined): boolean;
}

const fewestCharacters = 20;
const mostBytes = 10_000;

/** The token that clients of this user show, from the data folder; made at the first start. */
export async function openToken(home: string): Promise<HttpToken> {
  const file = join(home, "http-token");
  try {
    const made = await makeOnce(file);
    const expected = digest(await readToken(file));
    return {
      file,
      ...(made !== undefined && { made }),
      isIn(header = "") {
        const given = /^Bearer +([^\s]+) *$/i.exec(header)?.[1];
        // Digests are of one length, so that the time that it takes tells nothing.
        return given !== undefined && timingSafeEqual(digest(given), expected);
      },
    };
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) throw thrown;
    throw new CoordinatorError("storage_unavailable", `Cannot use the token in ${file}: ${messageOf(thrown)}`);
  }
}

/** Of several processes that start together, one makes it. */
async function makeOnce(file: string): Promise<string | undefined> {
  if (await stat(file).catch(() => undefined)) return undefined;
  const token = randomBytes(32).toString("base64url");
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${token}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
    return token;
  } catch (thrown) {
    if (systemCode(thrown) === "EEXIST") return undefined;
    throw thrown;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readToken(file: string): Promise<string> {
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0) {
    throw unusable(`Other users can read ${file}`, "Delete it: the next start makes a new token, for you alone.");
  }
  const hint = "Remove it: the next start makes a new token.";
  const bytes = await readFileWithin(file, { most: mostBytes, code: "storage_unavailable", hint });
  const token = bytes.toString("utf8").trim();
  if (token.length >= fewestCharacters && /^[\x21-\x7e]+$/.test(token)) return token;
  const wanted = `at least ${fewestCharacters} letters, digits and symbols without spaces`;
  throw unusable(`${file} holds no usable token`, `Write ${wanted} into it, or delete it for a new one.`);
}

function unusable(message: string, hint: string): CoordinatorError {
  return new CoordinatorError("storage_unavailable", message, { hint });
}

function digest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
