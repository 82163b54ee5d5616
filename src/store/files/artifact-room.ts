import { rmSync } from "node:fs";
import { join } from "node:path";
import { CoordinatorError } from "../../errors.ts";
import { runsIn, type Size, sizeOf, statsOf } from "./artifact-folders.ts";

export interface RoomOptions {
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

/** How much may be kept, and what goes for it: the oldest runs that are over. */
export function createRoom(folder: string, { maxMb, isUnderWay }: RoomOptions) {
  const mostBytes = maxMb * megabyte;
  /** Of files that grow and have no place yet. */
  let growing = 0;
  let usage: { bytes: number; files: number; readonly seenAt: number } | undefined;
  const look = () => {
    const kept = runsIn(folder).map((run) => sizeOf(join(folder, run)));
    const sum = (of: keyof Size) => kept.reduce((total, size) => total + size[of], 0);
    usage = { bytes: sum("bytes") + growing, files: sum("files"), seenAt: Date.now() };
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
  const take = async (run: string, more: Size): Promise<void> => {
    await makeFor(run, more);
    if (!usage) return;
    usage.bytes += more.bytes;
    usage.files += more.files;
  };
  return {
    used: () => usage ?? look(),
    makeFor,
    /** For a file that a guest saves; what had its name goes. Throws storage_full where there is no room. */
    make: async (run: string, name: string, bytes: number) => take(run, saved(folder, run, name, bytes)),
    /** For a file of ours, which has limits of its own. */
    makeForOwn: (run: string, name: string, bytes: number) => take(run, added(folder, run, name, bytes)),
    /** For a file that has grown by so much. Throws storage_full where there is no room. */
    async grow(run: string, bytes: number): Promise<void> {
      await take(run, { bytes, files: 0 });
      growing += bytes;
    },
    /** It has its place now, or is gone. */
    shrink(bytes: number): void {
      growing -= bytes;
      if (usage) usage.bytes -= bytes;
    },
  };
}

/** What the file adds to what is kept. Throws storage_full where it is more than a file, or a run, may have. */
function saved(folder: string, run: string, name: string, bytes: number): Size {
  if (bytes > mostFileBytes) throw noRoom(`"${name}" has ${bytes} bytes; a file may have ${mostFileBytes}`);
  const more = added(folder, run, name, bytes);
  const ofRun = sizeOf(join(folder, run));
  if (ofRun.bytes + more.bytes > mostRunBytes) {
    throw noRoom(`the files of one run may have ${mostRunBytes} bytes together`);
  }
  if (ofRun.files + more.files > mostRunFiles) throw noRoom(`one run may save ${mostRunFiles} files`);
  return more;
}

function added(folder: string, run: string, name: string, bytes: number): Size {
  const before = statsOf(join(folder, run, name))?.size;
  return { bytes: bytes - (before ?? 0), files: before === undefined ? 1 : 0 };
}

function noRoom(why: string): CoordinatorError {
  return new CoordinatorError("storage_full", `The artifact was not saved: ${why}`, {
    hint: "Save less, or only the part that is needed.",
  });
}
