import { randomUUID } from "node:crypto";
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { local } from "../../actor.ts";
import { CoordinatorError, isAbsent, messageOf } from "../../errors.ts";
import { artifactAddress, artifactName, parseAddress } from "../../runtime/results/artifact-name.ts";
import type { Artifact, Artifacts } from "../../runtime/results/artifacts.ts";
import { mediaTypeOf } from "../../runtime/results/media-type.ts";
import { replaceFileSync } from "../../system/replace-file.ts";

export interface ArtifactsOptions {
  readonly home: string;
  /** Whose they are. */
  readonly principal?: string;
  readonly maxMb: number;
  /** A run under way keeps what it has saved, whatever the cap. */
  readonly isUnderWay: (run: string) => Promise<boolean>;
}

const megabyte = 1_000_000;
const mostFileBytes = 32 * megabyte;
const mostRunBytes = 128 * megabyte;
/** Empty files take room too, and counting them takes time. */
const mostRunFiles = 1000;
const mostFiles = 20_000;
/** What other processes have saved since is not known before the next look. */
const usageIsFreshMs = 30_000;
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
  const write = (run: string, nameOf: () => string, data: string | Uint8Array): Promise<Artifact> => {
    const written = last.then(async () => {
      const name = nameOf();
      await room.make(run, name, Buffer.byteLength(data));
      place(folder, run, name, data);
      return found(folder, run, name);
    });
    last = written.catch(() => {});
    return written;
  };
  const pathOf = (address: string): string => {
    const { run, name } = find(folder, address);
    return join(folder, run, name);
  };
  return {
    save: (run, name, data) => write(run, () => artifactName(name), data),
    keep: (run, name, data) => {
      const isTaken = () => statsOf(join(folder, run, name)) !== undefined;
      return write(run, () => (isTaken() ? `run-${name}` : name), data);
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

interface Size {
  readonly bytes: number;
  readonly files: number;
}

/** How much may be kept, and what goes for it: the oldest runs that are over. */
function createRoom(folder: string, { maxMb, isUnderWay }: ArtifactsOptions) {
  const mostBytes = maxMb * megabyte;
  let usage: { bytes: number; files: number; readonly seenAt: number } | undefined;
  const look = () => {
    usage = { ...sizeOf(folder), seenAt: Date.now() };
    return usage;
  };
  const makeFor = async (run: string, more: Size): Promise<void> => {
    const fits = ({ bytes, files }: Size) => bytes + more.bytes <= mostBytes && files + more.files <= mostFiles;
    if (usage && Date.now() - usage.seenAt <= usageIsFreshMs && fits(usage)) return;
    const used = look();
    for (const oldest of runsIn(folder)) {
      if (fits(used)) return;
      if (oldest === run || (await isUnderWay(oldest))) continue;
      const { bytes, files } = sizeOf(join(folder, oldest));
      rmSync(join(folder, oldest), { recursive: true, force: true });
      used.bytes -= bytes;
      used.files -= files;
    }
    if (fits(used)) return;
    throw noRoom(
      `all together may have ${mostBytes} bytes (coordinator.artifacts.maxMb) in ${mostFiles} files, and what is left belongs to runs under way`,
    );
  };
  return {
    used: () => usage ?? look(),
    makeFor,
    /** For a file of that many bytes; what had its name goes. Throws storage_full where there is no room. */
    async make(run: string, name: string, bytes: number): Promise<void> {
      const more = moreWith(folder, run, name, bytes);
      await makeFor(run, more);
      if (!usage) return;
      usage.bytes += more.bytes;
      usage.files += more.files;
    },
  };
}

/** What the file adds to what is kept. Throws storage_full where it is more than a file, or a run, may have. */
function moreWith(folder: string, run: string, name: string, bytes: number): Size {
  if (bytes > mostFileBytes) throw noRoom(`"${name}" has ${bytes} bytes; a file may have ${mostFileBytes}`);
  const before = statsOf(join(folder, run, name))?.size;
  const more = { bytes: bytes - (before ?? 0), files: before === undefined ? 1 : 0 };
  const ofRun = sizeOf(join(folder, run));
  if (ofRun.bytes + more.bytes > mostRunBytes) {
    throw noRoom(`the files of one run may have ${mostRunBytes} bytes together`);
  }
  if (ofRun.files + more.files > mostRunFiles) throw noRoom(`one run may save ${mostRunFiles} files`);
  return more;
}

/** A reader sees the whole file or none, and a killed process leaves none that is half. */
function place(folder: string, run: string, name: string, data: string | Uint8Array): void {
  const path = join(folder, run, name);
  const partial = join(folder, partialFolder);
  try {
    for (const needed of [partial, dirname(path)]) mkdirSync(needed, { recursive: true, mode: 0o700 });
    replaceFileSync(path, data, { mode: 0o600, draft: join(partial, randomUUID()) });
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

/** Oldest first: the ids of runs sort by their start. */
function runsIn(folder: string): string[] {
  return entriesOf(folder)
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name)
    .sort();
}

/** The files below a folder, by name, folders as a part of it. */
function filesBelow(folder: string, prefix = ""): string[] {
  return entriesOf(folder)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const name = `${prefix}${entry.name}`;
      return entry.isDirectory() ? filesBelow(join(folder, entry.name), `${name}/`) : [name];
    });
}

function sizeOf(folder: string): { bytes: number; files: number } {
  const sum = { bytes: 0, files: 0 };
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const { bytes, files } = entry.isDirectory() ? sizeOf(path) : { bytes: statsOf(path)?.size ?? 0, files: 1 };
    sum.bytes += bytes;
    sum.files += files;
  }
  return sum;
}

/** Undefined where nothing is: also below a file that stands where a folder would have to be. */
function statsOf(path: string) {
  try {
    return statSync(path);
  } catch (thrown) {
    if (isAbsent(thrown)) return undefined;
    throw thrown;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // nothing has been saved, or another process has just removed it
  }
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

function noRoom(why: string): CoordinatorError {
  return new CoordinatorError("storage_full", `The artifact was not saved: ${why}`, {
    hint: "Save less, or only the part that is needed.",
  });
}

function cannotWrite(name: string, thrown: unknown): CoordinatorError {
  const code = (thrown as NodeJS.ErrnoException).code ?? "";
  if (["EEXIST", "ENOTDIR", "EISDIR", "ENOTEMPTY"].includes(code)) {
    return new CoordinatorError("input_invalid", `Cannot save "${name}": a part of it is a file and a folder at once`, {
      hint: "Choose another name.",
      cause: thrown,
    });
  }
  return new CoordinatorError("storage_unavailable", `Cannot save the artifact "${name}": ${messageOf(thrown)}`, {
    hint: "Check the permissions of the data folder and the free space.",
    cause: thrown,
  });
}
