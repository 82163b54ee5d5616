import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CoordinatorError } from "../errors.ts";

/** Files that runs left behind, addressed as `artifact://<run>/<name>`. */
export interface Artifacts {
  /** Keeps the text and returns its address. */
  save(run: string, name: string, text: string): string;
  /** Throws artifact_unknown for an address that is none or is gone. */
  read(address: string): string;
  /** Removes the files of runs that are older than this. */
  prune(maxAgeDays: number): Promise<void>;
}

const part = "[A-Za-z0-9][A-Za-z0-9._-]{0,127}";
const addressPattern = new RegExp(`^artifact://(${part})/(${part})$`);

export function createArtifacts(home: string): Artifacts {
  const folder = join(home, "artifacts");
  return {
    save(run, name, text) {
      const address = `artifact://${run}/${name}`;
      const path = pathOf(folder, address);
      mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
      return address;
    },
    read(address) {
      const path = pathOf(folder, address);
      try {
        return readFileSync(path, "utf8");
      } catch (cause) {
        throw new CoordinatorError("artifact_unknown", `No artifact ${address} is there`, {
          hint: "Artifacts are removed with their run, after 30 days; run the code again.",
          cause,
        });
      }
    },
    async prune(maxAgeDays) {
      const oldest = Date.now() - maxAgeDays * 24 * 60 * 60 * 1000;
      for (const run of await readdir(folder).catch(() => [])) {
        const path = join(folder, run);
        if ((await stat(path)).mtimeMs < oldest) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

/** A name with a slash, a leading dot or anything but plain characters is no address: no path can leave the folder. */
function pathOf(folder: string, address: string): string {
  const [, run, name] = addressPattern.exec(address) ?? [];
  if (run && name) return join(folder, run, name);
  throw new CoordinatorError(
    "artifact_unknown",
    `Not an artifact's address: ${JSON.stringify(address).slice(0, 200)}`,
    {
      hint: "An address looks like artifact://<run>/<name>, as a run's answer gives it.",
    },
  );
}
