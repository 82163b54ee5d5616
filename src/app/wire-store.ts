import { join } from "node:path";
import type { Config } from "../config/load.ts";
import { createArtifacts } from "../store/files/artifacts.ts";
import { createCredentials } from "../store/files/credentials.ts";
import { openStore } from "../store/sqlite/store.ts";

export type WiredStore = ReturnType<typeof wireStore>;

/** What lasts: the database, files of runs, sign-ins. */
export function wireStore({ home, skills, memory, journal, artifacts }: Config) {
  const store = openStore(home, {
    skills,
    memoryBytes: memory.maxMb * 1_000_000,
    journal: { maxAgeDays: journal.keepDays, maxBytes: journal.maxMb * 1_000_000 },
  });
  const files = createArtifacts({ home, maxMb: artifacts.maxMb, isUnderWay: (run) => store.journal.isUnderWay(run) });
  return {
    store,
    artifacts: files,
    credentials: createCredentials(join(home, "credentials")),
    prune: () => Promise.all([store.prune(), files.prune(journal.keepDays)]),
  };
}
