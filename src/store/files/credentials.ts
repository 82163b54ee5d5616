import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { CoordinatorError, messageOf, systemCode } from "../../errors.ts";
import { createFileLock } from "../../system/file-lock.ts";
import { readFileWithin } from "../../system/read-file.ts";
import { replaceFile } from "../../system/replace-file.ts";
import type { Credentials, SignIn } from "../../upstream/oauth/credentials.ts";

/** Longer than any renewal takes, so that one who waits finds its outcome. */
const patienceMs = 60_000;
const mostBytes = 1_000_000;

/** Sign-ins as files that only the user can read, one a server, each replaced as a whole. */
export function createCredentials(folder: string): Credentials {
  const withLock = createFileLock(join(folder, "locks"));
  const fileOf = (url: string) => join(folder, `${createHash("sha256").update(url).digest("hex").slice(0, 32)}.json`);

  const read = async (file: string): Promise<SignIn | undefined> => {
    try {
      const hint = "Remove it, and sign in again.";
      const bytes = await readFileWithin(file, { most: mostBytes, code: "storage_unavailable", hint });
      return JSON.parse(bytes.toString("utf8")) as SignIn;
    } catch (thrown) {
      if (thrown instanceof CoordinatorError) throw thrown;
      if (systemCode(thrown) === "ENOENT") return undefined;
      throw unusable(`Cannot read the sign-in in ${file}`, thrown);
    }
  };

  return {
    read: (url) => read(fileOf(url)),
    async write(signIn) {
      const file = fileOf(signIn.url);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        await chmod(folder, 0o700);
        await replaceFile(file, JSON.stringify(signIn), { mode: 0o600, flush: true });
      } catch (thrown) {
        throw unusable(`Cannot keep the sign-in in ${file}`, thrown);
      }
    },
    async remove(url) {
      await rm(fileOf(url), { force: true });
    },
    async list() {
      const names = await readdir(folder).catch(() => []); // nobody has signed in yet
      const files = names.filter((name) => name.endsWith(".json"));
      const kept = await Promise.all(files.map((name) => read(join(folder, name))));
      return kept.filter((signIn) => signIn !== undefined);
    },
    async exclusively(url, work) {
      await mkdir(folder, { recursive: true, mode: 0o700 }).catch((thrown: unknown) => {
        throw unusable(`Cannot make ${folder}`, thrown);
      });
      const busy = () =>
        new CoordinatorError("storage_unavailable", `Another process has been renewing a sign-in for a minute`, {
          hint: "Try again; if that does not help, end the other mcp-coordinator processes.",
        });
      return withLock(url, { patienceMs, busy }, work);
    },
  };
}

/** The text of the file is not repeated: it holds tokens, and JSON.parse would quote it. */
function unusable(what: string, thrown: unknown): CoordinatorError {
  const why = thrown instanceof SyntaxError ? "it is not JSON" : messageOf(thrown);
  return new CoordinatorError("storage_unavailable", `${what}: ${why}`, {
    hint: "Check the folder's permissions and the free space; delete a damaged file and sign in again.",
  });
}
