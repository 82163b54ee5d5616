import type { Services } from "./services.ts";

/** How full one of the stores is that guests and clients write to. */
export interface StorageUse {
  readonly what: string;
  readonly bytes: number;
  readonly maxMb: number;
  readonly count?: number;
  readonly maxCount?: number;
  /** Where its limits are set, below `coordinator`. */
  readonly setting: string;
  /** How to make room. Absent where that happens by itself: the oldest goes. */
  readonly remedy?: string;
}

/** Everything that runs can fill, each with its limit: together they bound the data folder, but for environments. */
export async function storageUse(services: Services): Promise<StorageUse[]> {
  const { config, usedBytes, skills, memory, artifacts, workspace } = services;
  const files = await artifacts.used();
  const inWorkspace = await workspace.used();
  return [
    { what: "database", bytes: await usedBytes(), maxMb: config.journal.maxMb, setting: "journal.maxMb" },
    { what: "artifacts", bytes: files.bytes, maxMb: config.artifacts.maxMb, setting: "artifacts.maxMb" },
    {
      what: "skills",
      bytes: await skills.store.usedBytes(),
      maxMb: config.skills.maxMb,
      count: await skills.store.count(),
      maxCount: config.skills.maxSkills,
      setting: "skills",
      remedy: "Delete skills that are no longer needed (`mcp-coordinator skills rm NAME`)",
    },
    {
      what: "memory",
      bytes: await memory.usedBytes(),
      maxMb: config.memory.maxMb,
      setting: "memory.maxMb",
      remedy: "Delete entries that are no longer needed (`mcp-coordinator memory rm KEY`)",
    },
    {
      what: "workspace",
      bytes: inWorkspace.bytes,
      maxMb: config.workspace.maxMb,
      count: inWorkspace.files,
      maxCount: config.workspace.maxFiles,
      setting: "workspace",
      remedy: `Delete files in ${config.workspace.root} that are no longer needed`,
    },
  ];
}
