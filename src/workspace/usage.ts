import { rmSync } from "node:fs";
import { CoordinatorError } from "../errors.ts";
import { isAlive } from "../system/owner.ts";
import { createThreadYield } from "../system/thread-yield.ts";
import { temporaryOwner } from "./file-name.ts";
import type { Folder } from "./folder.ts";

export interface Quota {
  readonly maxMb: number;
  /** Files and folders: an empty folder takes room too. */
  readonly maxFiles: number;
}

/** What the workspace holds, kept as a count: other processes write too, so it is verified now and then. */
export interface Usage {
  /** Counts again where that is due, and before so much would be refused. To be awaited before `reserve`. */
  ready(bytes: number, files: number): Promise<void>;
  /** Counts in what is about to be written, or throws workspace_full. */
  reserve(bytes: number, files: number): void;
  /** Counts out what was removed, or not written after all. */
  release(bytes: number, files: number): void;
  /** As of the last count, at most a minute ago. */
  used(): Promise<Used>;
}

export interface Used {
  readonly bytes: number;
  readonly files: number;
}

const verifyMs = 60_000;
const verifyNearlyFullMs = 1000;
const nearlyFull = 0.9;
/** However often it is wanted, counting takes no more than this part of the time: a project's folder can be large. */
const mostShare = 0.1;

export function createUsage(openRoot: () => Folder | undefined, { maxMb, maxFiles }: Quota): Usage {
  const maxBytes = maxMb * 1_000_000;
  let bytes = 0;
  let files = 0;
  let countedAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let counting: Promise<void> | undefined;
  // What is removed meanwhile counts until the next time: better too much than too little.
  const countAll = async (): Promise<void> => {
    const started = performance.now();
    using root = openRoot();
    const counted = root ? await count(root, createThreadYield()) : { bytes: 0, files: 0 };
    ({ bytes, files } = counted);
    countedAt = performance.now();
    tookMs = countedAt - started;
  };
  /** Whoever wants to write while it is counted waits for the end: what came into a folder that was counted already would be missed. */
  const verifyAfter = async (ms: number): Promise<void> => {
    if (!counting && performance.now() - countedAt <= Math.max(ms, tookMs / mostShare)) return;
    counting ??= countAll().finally(() => {
      counting = undefined;
    });
    await counting;
  };
  const exceeds = (moreBytes: number, moreFiles: number): boolean =>
    (moreBytes > 0 && bytes + moreBytes > maxBytes) || (moreFiles > 0 && files + moreFiles > maxFiles);
  return {
    async ready(moreBytes, moreFiles) {
      const isNearlyFull = bytes > maxBytes * nearlyFull || files > maxFiles * nearlyFull;
      await verifyAfter(isNearlyFull ? verifyNearlyFullMs : verifyMs);
      if (exceeds(moreBytes, moreFiles)) await verifyAfter(0);
    },
    reserve(moreBytes, moreFiles) {
      if (exceeds(moreBytes, moreFiles)) throw full(bytes + moreBytes > maxBytes ? `${maxMb} MB` : `${maxFiles} files`);
      bytes += moreBytes;
      files += moreFiles;
    },
    async used() {
      await verifyAfter(verifyMs);
      return { bytes, files };
    },
    release(fewerBytes, fewerFiles) {
      bytes -= fewerBytes;
      files -= fewerFiles;
    },
  };
}

function full(limit: string): CoordinatorError {
  return new CoordinatorError("workspace_full", `The workspace may hold ${limit}. Nothing was written`, {
    hint: "Remove files that are no longer needed, or raise coordinator.workspace.maxMb or maxFiles.",
  });
}

/** Everything below the folder that guests may change; files that a process left unfinished when it died are removed on the way. */
async function count(folder: Folder, yieldThread: () => Promise<void>): Promise<Used> {
  sweep(folder);
  let bytes = 0;
  let files = 0;
  for (const entry of folder.entries("change")) {
    await yieldThread();
    files++;
    if (entry.isDirectory()) {
      using below = enterIfThere(folder, entry.name);
      const counted = below ? await count(below, yieldThread) : { bytes: 0, files: 0 };
      bytes += counted.bytes;
      files += counted.files;
    } else {
      bytes += folder.look(entry.name)?.size ?? 0;
    }
  }
  return { bytes, files };
}

function sweep(folder: Folder): void {
  for (const name of folder.unfinished()) {
    const owner = temporaryOwner(name);
    if (owner && isAlive(owner) === false) rmSync(folder.entry(name), { force: true });
  }
}

/** A folder that was replaced, or that we may not read, does not count. */
export function enterIfThere(folder: Folder, name: string): Folder | undefined {
  try {
    return folder.enter(name);
  } catch (thrown) {
    if (thrown instanceof CoordinatorError) return undefined;
    throw thrown;
  }
}
