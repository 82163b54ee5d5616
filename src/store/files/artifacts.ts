import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { local } from "../../actor.ts";
import { CoordinatorError } from "../../errors.ts";
import { artifactAddress, artifactName, parseAddress } from "../../runtime/results/artifact-name.ts";
import type { Artifact, Artifacts } from "../../runtime/results/artifacts.ts";
import { mediaTypeOf } from "../../runtime/results/media-type.ts";
import { replaceFileSync } from "../../system/replace-file.ts";
import { cannotWrite, openDraft } from "./artifact-draft.ts";
import { filesBelow, runsIn, statsOf } from "./artifact-folders.ts";
import { createRoom, type RoomOptions } from "./artifact-room.ts";

export interface ArtifactsOptions extends RoomOptions {
  readonly home: string;
  /** Whose they are. */
  readonly principal?: string;
}

/** Where files are written, before they have their place. */
const partialFolder = ".partial";
/** A partial file that old belongs to a process that was killed. */
const partialIsLostMs = 60 * 60_000;

export function createArtifacts(options: ArtifactsOptions): Artifacts {
  const folder = join(options.home, "artifacts", options.principal ?? local.principal);
  adoptOlder(join(options.home, "artifacts"));
  const room = createRoom(folder, options);
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that each is judged by what is there when it is written. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  };
  const write = (run: string, nameOf: () => string, data: string | Uint8Array): Promise<Artifact> =>
    inTurn(async () => {
      const name = nameOf();
      await room.make(run, name, Buffer.byteLength(data));
      place(folder, run, name, (path, draft) => replaceFileSync(path, data, { mode: 0o600, draft }));
      return found(folder, run, name);
    });
  /** What the guest has saved under that name stays. */
  const ownName = (run: string, name: string) => (statsOf(join(folder, run, name)) ? `run-${name}` : name);
  const pathOf = (address: string): string => {
    const { run, name } = find(folder, address);
    return join(folder, run, name);
  };
  return {
    save: (run, name, data) => write(run, () => artifactName(name), data),
    keep: (run, name, data) => write(run, () => ownName(run, name), data),
    begin: async (run, name) => {
      const draft = await openDraft(join(folder, partialFolder), name, (bytes) => room.grow(run, bytes), room.shrink);
      return {
        append: draft.append,
        discard: draft.discard,
        finish: () =>
          inTurn(async () => {
            const { path: written, bytes } = await draft.close();
            const named = ownName(run, name);
            await room.makeForOwn(run, named, bytes);
            place(folder, run, named, (path) => renameSync(written, path));
            return found(folder, run, named);
          }),
      };
    },
    used: async () => room.used(),
    find: async (address) => find(folder, address),
    read: async (address) => readFileSync(pathOf(address), "utf8"),
    readBytes: async (address) => readFileSync(pathOf(address)),
    async readChunks(address, { offset, limit }) {
      const { run, name, bytes } = find(folder, address);
      const length = Math.max(0, Math.min(limit ?? bytes, bytes - offset));
      return { length, chunks: chunksOf(join(folder, run, name), offset, length) };
    },
    list: async (of) => list(folder, of),
    async prune(maxAgeDays) {
      const oldest = Date.now() - maxAgeDays * 24 * 60 * 60 * 1000;
      await removeOlder(folder, runsIn(folder), oldest);
      const partial = join(folder, partialFolder);
      await removeOlder(partial, await readdir(partial).catch(() => []), Date.now() - partialIsLostMs);
      await room.makeFor("", { bytes: 0, files: 0 });
    },
  };
}

/** Folders of runs that a program has left that knew no owners: they are the one user's. */
function adoptOlder(folder: string): void {
  const older = runsIn(folder).filter((name) => /^r[0-9a-z]{14}$/.test(name));
  if (older.length === 0) return;
  const owned = join(folder, local.principal);
  mkdirSync(owned, { recursive: true, mode: 0o700 });
  for (const name of older) {
    try {
      renameSync(join(folder, name), join(owned, name));
    } catch {
      // Another process was faster.
    }
  }
}

/** A reader sees the whole file or none, and a killed process leaves none that is half. */
function place(folder: string, run: string, name: string, put: (path: string, draft: string) => void): void {
  const path = join(folder, run, name);
  const partial = join(folder, partialFolder);
  try {
    for (const needed of [partial, dirname(path)]) mkdirSync(needed, { recursive: true, mode: 0o700 });
    put(path, join(partial, randomUUID()));
  } catch (thrown) {
    throw cannotWrite(name, thrown);
  }
}

function describe(folder: string, run: string, name: string): Artifact | undefined {
  const stats = statsOf(join(folder, run, name));
  if (!stats?.isFile()) return undefined;
  const uri = artifactAddress(run, name);
  return { uri, run, name, bytes: stats.size, mediaType: mediaTypeOf(name), saved: stats.mtime.toISOString() };
}

function found(folder: string, run: string, name: string): Artifact {
  const artifact = describe(folder, run, name);
  if (artifact) return artifact;
  throw unknown(`There is no artifact ${artifactAddress(run, name)}`, goneHint);
}

function find(folder: string, address: string): Artifact {
  const named = parseAddress(address);
  if (!named) throw noAddress(address);
  return found(folder, named.run, named.name);
}

function list(folder: string, { run, limit }: Parameters<Artifacts["list"]>[0]): Artifact[] {
  const runs = run === undefined ? runsIn(folder).reverse() : isRun(run) ? [run] : [];
  const listed: Artifact[] = [];
  for (const each of runs) {
    if (listed.length >= limit) break;
    listed.push(...filesBelow(join(folder, each)).flatMap((name) => describe(folder, each, name) ?? []));
  }
  return listed.slice(0, limit);
}

async function removeOlder(folder: string, names: readonly string[], than: number): Promise<void> {
  for (const name of names) {
    const path = join(folder, name);
    if ((await stat(path)).mtimeMs < than) await rm(path, { recursive: true, force: true });
  }
}

function isRun(run: string): boolean {
  return parseAddress(artifactAddress(run, "any"))?.run === run;
}

const chunkBytes = 3 * 256 * 1024;

/** The file is open from the first chunk to the last: what takes its place meanwhile is another one. */
function* chunksOf(path: string, offset: number, length: number): Generator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (let at = 0; at < length; at += chunkBytes) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, length - at));
      readSync(file, chunk, 0, chunk.length, offset + at);
      yield chunk;
    }
  } finally {
    closeSync(file);
  }
}

const goneHint =
  "Artifacts are removed after a while (coordinator.journal.keepDays), or when newer ones need the room; run the code again.";

function unknown(message: string, hint: string): CoordinatorError {
  return new CoordinatorError("artifact_unknown", message, { hint });
}

function noAddress(address: string): CoordinatorError {
  const hint = "An address looks like artifact://<run>/<name>, as a run's answer gives it.";
  return unknown(`Not an artifact's address: ${JSON.stringify(address).slice(0, 200)}`, hint);
}
