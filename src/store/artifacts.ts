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
  writeFileSync,
} from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CoordinatorError, messageOf } from "../errors.ts";
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
  readBytes(address: string, part?: { readonly offset: number; readonly limit?: number | undefined }): Buffer;
  /** The newest run first; in a run by name. */
  list(of: { readonly run?: string | undefined; readonly limit: number }): Artifact[];
  /** Removes the files of runs that are older than this, then of the oldest runs until all fit the cap. */
  prune(maxAgeDays: number): Promise<void>;
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
/** What other processes have saved since is not known before the next look. */
const usageIsFreshMs = 30_000;
/** A partial file that old belongs to a process that was killed. */
const partialIsLostMs = 60 * 60_000;

export function createArtifacts({ home, maxMb, isUnderWay }: ArtifactsOptions): Artifacts {
  const folder = join(home, "artifacts");
  const partial = join(folder, ".partial");
  const mostBytes = maxMb * megabyte;
  let usage: { bytes: number; readonly seenAt: number } | undefined;
  let lastPartial = 0;

  /** Makes room by removing the oldest runs that are over. */
  const makeRoom = (run: string, bytes: number): void => {
    if (!usage || Date.now() - usage.seenAt > usageIsFreshMs) usage = { bytes: sizeOf(folder), seenAt: Date.now() };
    if (usage.bytes + bytes <= mostBytes) return;
    usage = { bytes: sizeOf(folder), seenAt: Date.now() };
    for (const oldest of runsIn(folder)) {
      if (usage.bytes + bytes <= mostBytes) return;
      if (oldest === run || isUnderWay(oldest)) continue;
      const size = sizeOf(join(folder, oldest));
      rmSync(join(folder, oldest), { recursive: true, force: true });
      usage.bytes -= size;
    }
    if (usage.bytes + bytes > mostBytes)
      throw noRoom(
        `all together may have ${mostBytes} bytes (coordinator.artifacts.maxMb), and those left are of runs under way`,
      );
  };
  /** A reader sees the whole file or none, and a killed process leaves none that is half. */
  const write = (run: string, name: string, data: string | Uint8Array): Artifact => {
    const path = join(folder, run, name);
    const bytes = Buffer.byteLength(data);
    if (bytes > mostFileBytes) throw noRoom(`"${name}" has ${bytes} bytes, a file may have ${mostFileBytes}`);
    const before = statsOf(path)?.size ?? 0;
    const ofRun = sizeOf(join(folder, run)) - before;
    if (ofRun + bytes > mostRunBytes) throw noRoom(`the files of one run may have ${mostRunBytes} bytes together`);
    makeRoom(run, bytes - before);
    const temporary = join(partial, `${process.pid}-${++lastPartial}`);
    try {
      for (const needed of [partial, dirname(path)]) mkdirSync(needed, { recursive: true, mode: 0o700 });
      writeFileSync(temporary, data, { mode: 0o600 });
      renameSync(temporary, path);
    } catch (thrown) {
      rmSync(temporary, { force: true });
      throw cannotWrite(name, thrown);
    }
    if (usage) usage.bytes += bytes - before;
    return found(run, name);
  };
  const look = (run: string, name: string): Artifact | undefined => {
    const stats = statsOf(join(folder, run, name));
    if (!stats?.isFile()) return undefined;
    const uri = artifactAddress(run, name);
    return { uri, run, name, bytes: stats.size, mediaType: mediaTypeOf(name), saved: stats.mtime.toISOString() };
  };
  const found = (run: string, name: string): Artifact => {
    const artifact = look(run, name);
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
    find,
    read: (address) => readFileSync(pathOf(find(address)), "utf8"),
    readBytes: (address, { offset, limit } = { offset: 0 }) => readPart(pathOf(find(address)), offset, limit),
    list({ run, limit }) {
      const runs = run === undefined ? runsIn(folder).reverse() : isRun(run) ? [run] : [];
      const listed: Artifact[] = [];
      for (const each of runs) {
        if (listed.length >= limit) break;
        listed.push(...filesBelow(join(folder, each)).flatMap((name) => look(each, name) ?? []));
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
      makeRoom("", 0);
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

function sizeOf(folder: string): number {
  return entriesOf(folder).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(path);
    return sum + (statsOf(path)?.size ?? 0);
  }, 0);
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

function readPart(path: string, offset: number, limit: number | undefined): Buffer {
  const file = openSync(path, "r");
  try {
    const size = statSync(path).size;
    const buffer = Buffer.alloc(Math.max(0, Math.min(limit ?? size, size - offset)));
    return buffer.subarray(0, readSync(file, buffer, 0, buffer.length, offset));
  } finally {
    closeSync(file);
  }
}

const goneHint = "Artifacts are removed after 30 days, or when newer ones need the room; run the code again.";

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
