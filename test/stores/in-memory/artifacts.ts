import { CoordinatorError } from "../../../src/errors.ts";
import { artifactAddress, artifactName, parseAddress } from "../../../src/runtime/results/artifact-name.ts";
import type { Artifact, ArtifactPart, Artifacts } from "../../../src/runtime/results/artifacts.ts";
import { mediaTypeOf } from "../../../src/runtime/results/media-type.ts";
import { byText } from "./by-text.ts";

interface Kept {
  readonly run: string;
  readonly name: string;
  readonly data: Buffer;
  readonly savedAt: number;
}

const chunkBytes = 3 * 256 * 1024;

/** What the artifacts of all owners share: the files of each, by address. */
export const artifactFolders = () => new Map<string, Map<string, Kept>>();

export function createArtifactsInMemory({
  folders = artifactFolders(),
  principal = "local",
  maxMb = Number.POSITIVE_INFINITY,
  isUnderWay = async (_run: string) => false,
} = {}): Artifacts {
  const files = folders.get(principal) ?? new Map<string, Kept>();
  folders.set(principal, files);
  const all = () => [...files.values()];
  const used = () => ({ bytes: all().reduce((sum, { data }) => sum + data.length, 0), files: files.size });
  const runs = () => [...new Set(all().map(({ run }) => run))].sort();
  const removeRun = (run: string) => {
    for (const [address, file] of files) if (file.run === run) files.delete(address);
  };
  /** Removes the oldest runs that are over, but this one, until so much more fits. */
  const makeRoom = async (more: number, writing?: string): Promise<void> => {
    const fits = () => used().bytes + more <= maxMb * 1_000_000;
    for (const run of runs()) {
      if (fits()) return;
      if (run !== writing && !(await isUnderWay(run))) removeRun(run);
    }
    if (!fits()) throw new CoordinatorError("storage_full", "The artifact was not saved: there is no room");
  };
  const place = async (run: string, name: string, content: string | Uint8Array): Promise<Artifact> => {
    const uri = artifactAddress(run, name);
    const data = Buffer.from(typeof content === "string" ? Buffer.from(content) : content);
    await makeRoom(data.length - (files.get(uri)?.data.length ?? 0), run);
    const file = { run, name, data, savedAt: Date.now() };
    files.set(uri, file);
    return artifactOf(file);
  };
  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, so that each is judged by what is there when it is written. */
  const write = (run: string, nameOf: () => string, content: string | Uint8Array): Promise<Artifact> => {
    const written = last.then(() => place(run, nameOf(), content));
    last = written.catch(() => {});
    return written;
  };
  const find = (address: string): Kept => {
    const named = parseAddress(address);
    const found = named && files.get(artifactAddress(named.run, named.name));
    if (found) return found;
    throw new CoordinatorError("artifact_unknown", `There is no artifact ${address.slice(0, 200)}`);
  };
  const ownName = (run: string, name: string) => (files.has(artifactAddress(run, name)) ? `run-${name}` : name);
  return {
    save: (run, name, data) => write(run, () => artifactName(name), data),
    keep: (run, name, data) => write(run, () => ownName(run, name), data),
    async begin(run, name) {
      const pieces: Buffer[] = [];
      const length = () => pieces.reduce((sum, piece) => sum + piece.length, 0);
      return {
        async append(data) {
          await makeRoom(length() + data.length, run);
          pieces.push(Buffer.from(data));
        },
        finish: () => write(run, () => ownName(run, name), Buffer.concat(pieces)),
        discard: async () => void pieces.splice(0),
      };
    },
    find: async (address) => artifactOf(find(address)),
    read: async (address) => find(address).data.toString("utf8"),
    readBytes: async (address) => Buffer.from(find(address).data),
    readChunks: async (address, part) => chunksOf(find(address).data, part),
    async list({ run, limit }) {
      const wanted = run === undefined ? runs().reverse() : [run];
      const ofRun = (one: string) =>
        all()
          .filter((file) => file.run === one)
          .sort(byText("name"));
      return wanted.flatMap(ofRun).slice(0, limit).map(artifactOf);
    },
    used: async () => used(),
    async prune(maxAgeDays) {
      const oldest = Date.now() - maxAgeDays * 24 * 60 * 60 * 1000;
      for (const run of runs()) {
        if (all().every((file) => file.run !== run || file.savedAt < oldest)) removeRun(run);
      }
      await makeRoom(0);
    },
  };
}

function artifactOf({ run, name, data, savedAt }: Kept): Artifact {
  const about = { bytes: data.length, mediaType: mediaTypeOf(name), saved: new Date(savedAt).toISOString() };
  return { uri: artifactAddress(run, name), run, name, ...about };
}

function chunksOf(data: Buffer, { offset, limit = data.length }: ArtifactPart) {
  const part = data.subarray(offset, offset + limit);
  const starts = Array.from({ length: Math.ceil(part.length / chunkBytes) }, (_, index) => index * chunkBytes);
  return { length: part.length, chunks: starts.map((start) => part.subarray(start, start + chunkBytes)).values() };
}
