import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, readSync, rmSync, statSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CoordinatorError, messageOf } from "../errors.ts";
import { replaceFileSync } from "../system/replace-file.ts";
import { artifactAddress, artifactName, parseAddress } from "./artifact-name.ts";
import { mediaTypeOf } from "./media-type.ts";

/** One file that a run left behind. */
export interface Artifact {
  readonly uri: string;
  readonly run: string;
  readonly name: string;
  readonly bytes: number;
  readonly mediaType: string;
  readonly saved: string;
}

/** Files that runs left behind, addressed as `artifact://<run>/<name>`. */
export interface Artifacts {
  /** Keeps text or bytes under a name of the guest's choice; what had that name in this run is replaced. */
  save(run: string, name: string, data: string | Uint8Array): Artifact;
  /** The same for a file of ours: what the guest has saved under that name stays, and the file goes by another. */
  keep(run: string, name: string, data: string | Uint8Array): Artifact;
  /** Each throws artifact_unknown for an address that is none or is gone. */
  find(address: string): Artifact;
  read(address: string): string;
  readBytes(address: string): Buffer;
  /** Some of the bytes, in chunks of a length that three divides, read as they are asked for; to be gone through once. */
  readChunks(address: string, part: ArtifactPart): { readonly length: number; readonly chunks: Iterable<Buffer> };
  /** The newest run first; in a run by name. */
  list(of: { readonly run?: string | undefined; readonly limit: number }): Artifact[];
  /** What all of them take, as of the last look. */
  used(): { readonly bytes: number; readonly files: number };
  /** Removes the files of runs that are older than this, then of the oldest runs until all fit the cap. */
  prune(maxAgeDays: number): Promise<void>;
}

interface ArtifactPart {
  readonly offset: number;
  readonly limit?: number | undefined;
}

export interface ArtifactsOptions {
  readonly home: string;
  readonly maxMb: number;
  /** A run under way keeps what it has saved, whatever the cap. */
  readonly isUnderWay: (run: string) => boolean;
}

const megabyte = 1_000_000;
const mostFileBytes = 32 * megabyte;
const mostRunBytes = 128 * megabyte;
/** Empty files take room too, and counting them takes time. */
const mostRunFiles = 1000;
const mostFiles = 20_000;
/** What other processes have saved since is not known before the next look. */
const usageIsFreshMs = 30_000;
/** A partial file that old belongs to a process that was killed. */
const partialIsLostMs = 60 * 60_000;

export function createArtifacts({ home, maxMb, isUnderWay }: ArtifactsOptions): Artifacts {
  const folder = join(home, "artifacts");
  const partial = join(folder, ".partial");
  const mostBytes = maxMb * megabyte;
  let usage: { bytes: number; files: number; readonly seenAt: number } | undefined;

  /** Makes room by removing the oldest runs that are over. */
  const look = () => {
    usage = { ...sizeOf(folder), seenAt: Date.now() };
    return usage;
  };
  const makeRoom = (run: string, more: { readonly bytes: number; readonly files: number }): void => {
    const fits = ({ bytes, files } = look()) => bytes + more.bytes <= mostBytes && files + more.files <= mostFiles;
    if (usage && Date.now() - usage.seenAt <= usageIsFreshMs && fits(usage)) return;
    const used = look();
    for (const oldest of runsIn(folder)) {
      if (fits(used)) return;
      if (oldest === run || isUnderWay(oldest)) continue;
      const { bytes, files } = sizeOf(join(folder, oldest));
      rmSync(join(folder, oldest), { recursive: true, force: true });
      used.bytes -= bytes;
      used.files -= files;
    }
    if (!fits(used))
      throw noRoom(
        `all together may have ${mostBytes} bytes (coordinator.artifacts.maxMb) and be ${mostFiles}, and those left are of runs under way`,
      );
  };
  /** A reader sees the whole file or none, and a killed process leaves none that is half. */
  const write = (run: string, name: string, data: string | Uint8Array): Artifact => {
    const path = join(folder, run, name);
    const bytes = Buffer.byteLength(data);
    if (bytes > mostFileBytes) throw noRoom(`"${name}" has ${bytes} bytes, a file may have ${mostFileBytes}`);
    const before = statsOf(path)?.size;
    const more = { bytes: bytes - (before ?? 0), files: before === undefined ? 1 : 0 };
    const ofRun = sizeOf(join(folder, run));
    if (ofRun.bytes + more.bytes > mostRunBytes) {
      throw noRoom(`the files of one run may have ${mostRunBytes} bytes together`);
    }
    if (ofRun.files + more.files > mostRunFiles) throw noRoom(`one run may save ${mostRunFiles} files`);
    makeRoom(run, more);
    const draft = join(partial, randomUUID());
    try {
      for (const needed of [partial, dirname(path)]) mkdirSync(needed, { recursive: true, mode: 0o700 });
      replaceFileSync(path, data, { mode: 0o600, draft });
    } catch (thrown) {
      throw cannotWrite(name, thrown);
    }
    if (usage) {
      usage.bytes += more.bytes;
      usage.files += more.files;
    }
    return found(run, name);
  };
  const describe = (run: string, name: string): Artifact | undefined => {
    const stats = statsOf(join(folder, run, name));
    if (!stats?.isFile()) return undefined;
    const uri = artifactAddress(run, name);
    return { uri, run, name, bytes: stats.size, mediaType: mediaTypeOf(name), saved: stats.mtime.toISOString() };
  };
  const found = (run: string, name: string): Artifact => {
    const artifact = describe(run, name);
    if (artifact) return artifact;
    throw unknown(`No artifact ${artifactAddress(run, name)} is there`, goneHint);
  };
  const find = (address: string): Artifact => {
    const { run, name } = parseAddress(address) ?? {};
    if (run === undefined || name === undefined) throw noAddress(address);
    return found(run, name);
  };
  const pathOf = ({ run, name }: Artifact): string => join(folder, run, name);
  return {
    save: (run, name, data) => write(run, artifactName(name), data),
    keep(run, name, data) {
      const isTaken = statsOf(join(folder, run, name)) !== undefined;
      return write(run, isTaken ? `run-${name}` : name, data);
    },
    used: () => usage ?? look(),
    find,
    read: (address) => readFileSync(pathOf(find(address)), "utf8"),
    readBytes: (address) => readFileSync(pathOf(find(address))),
    readChunks(address, { offset, limit }) {
      const artifact = find(address);
      const length = Math.max(0, Math.min(limit ?? artifact.bytes, artifact.bytes - offset));
      return { length, chunks: chunksOf(pathOf(artifact), offset, length) };
    },
    list({ run, limit }) {
      const runs = run === undefined ? runsIn(folder).reverse() : isRun(run) ? [run] : [];
      const listed: Artifact[] = [];
      for (const each of runs) {
        if (listed.length >= limit) break;
        listed.push(...filesBelow(join(folder, each)).flatMap((name) => describe(each, name) ?? []));
      }
      return listed.slice(0, limit);
    },
    async prune(maxAgeDays) {
      const oldest = Date.now() - maxAgeDays * 24 * 60 * 60 * 1000;
      for (const run of runsIn(folder)) {
        const path = join(folder, run);
        if ((await stat(path)).mtimeMs < oldest) await rm(path, { recursive: true, force: true });
      }
      for (const name of await readdir(partial).catch(() => [])) {
        const path = join(partial, name);
        if ((await stat(path)).mtimeMs < Date.now() - partialIsLostMs) await rm(path, { force: true });
      }
      makeRoom("", { bytes: 0, files: 0 });
    },
  };
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
    if (["ENOENT", "ENOTDIR"].includes((thrown as NodeJS.ErrnoException).code ?? "")) return undefined;
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
    hint: "Save less, or only what is needed of it.",
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
