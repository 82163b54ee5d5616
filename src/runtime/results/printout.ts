import { CoordinatorError } from "../../errors.ts";
import type { Skipped } from "../../sandbox/engine.ts";
import type { ArtifactDraft } from "./artifacts.ts";

/** What a guest has left on one of its streams. */
export interface Printed {
  /** Its start and its end: each the whole of it, where it is short. */
  readonly head: string;
  readonly tail: string;
  readonly characters: number;
  readonly bytes: number;
  /** Where it is, when it is too long to be held. */
  readonly artifact?: string;
  /** What is not there either, and the setting that decided. */
  readonly dropped?: { readonly bytes: number; readonly setting: string };
}

type Stream = "stdout" | "stderr";

/** What a run prints, and a result that comes in parts. Of long ones a start and an end are held; the rest is in files. */
export interface Printout {
  /** While a promise is pending, no more should come. `skipped` was printed before it, past what is kept. */
  print(stream: Stream, text: string, skipped?: Skipped): Promise<void> | undefined;
  /** More of the JSON of a result that is too long for one piece. */
  addResult(text: string): Promise<void> | undefined;
  bytesOf(stream: Stream | "result"): number;
  /** Never rejects: what cannot be kept is counted as dropped. */
  finish(): Promise<PrintedOutput>;
  /** Removes what has not been finished. */
  discard(): Promise<void>;
}

export type PrintedOutput = Readonly<Record<Stream | "result", Printed>>;

export interface PrintoutOptions {
  /** So many characters are held of each end. */
  readonly held: number;
  /** So much is kept of what is printed, and of a result. */
  readonly mostBytes: number;
  begin(name: string): Promise<ArtifactDraft>;
}

const outputSetting = "coordinator.sandbox.limits.outputBytes";
const roomSetting = "coordinator.artifacts.maxMb";
/** Written at once. */
const pieceCharacters = 1 << 16;

export function createPrintout({ held, mostBytes, begin }: PrintoutOptions): Printout {
  const printed = { left: mostBytes };
  const streams = {
    stdout: createStream(held, printed, () => begin("stdout.txt")),
    stderr: createStream(held, printed, () => begin("stderr.txt")),
    result: createStream(0, { left: mostBytes }, () => begin("result.json")),
  };
  return {
    print: (stream, text, skipped) => streams[stream].push(text, skipped),
    addResult: (text) => streams.result.push(text),
    bytesOf: (stream) => streams[stream].bytes(),
    async finish() {
      const [stdout, stderr] = [await streams.stdout.finish(), await streams.stderr.finish()];
      // JSON without its end is of no use.
      const isLost = streams.result.isCut();
      if (isLost) await streams.result.discard();
      const result = isLost ? streams.result.ends() : await streams.result.finish();
      return { stdout, stderr, result };
    },
    async discard() {
      for (const stream of Object.values(streams)) await stream.discard();
    },
  };
}

function createStream(held: number, room: { left: number }, begin: () => Promise<ArtifactDraft>) {
  const file = createFile(begin);
  const end = createEnd(held);
  let head = "";
  let [characters, bytes, beyond] = [0, 0, 0];
  /** Whether all of it is in `head`. */
  let isHeld = true;
  let isOver = false;
  /** The part of a text that there is still room for. */
  const fitting = (text: string, length: number): string => {
    if (length <= room.left) {
      room.left -= length;
      return text;
    }
    const part = startOf(text, room.left);
    beyond += length - Buffer.byteLength(part);
    room.left = 0;
    return part;
  };
  const skip = (skipped: Skipped): void => {
    characters += skipped.characters;
    bytes += skipped.bytes;
    beyond += skipped.bytes;
    room.left = 0;
    end.clear();
  };
  const ends = (): Printed => {
    const dropped = beyond + file.lost();
    const setting = file.lost() > 0 ? roomSetting : outputSetting;
    const tail = isHeld ? head : end.text();
    return { head, tail, characters, bytes, ...(dropped > 0 && { dropped: { bytes: dropped, setting } }) };
  };
  return {
    push(text: string, skipped?: Skipped): Promise<void> | undefined {
      if (skipped) skip(skipped);
      const length = Buffer.byteLength(text);
      characters += text.length;
      bytes += length;
      end.push(text);
      const kept = fitting(text, length);
      if (isHeld && kept === text && head.length + text.length <= held) {
        head += text;
        return undefined;
      }
      const writing = file.add(isHeld ? head + kept : kept);
      isHeld = false;
      if (head.length < held) head += text.slice(0, held - head.length);
      return writing;
    },
    bytes: () => bytes,
    isCut: () => beyond + file.lost() > 0,
    ends,
    async finish(): Promise<Printed> {
      isOver = true;
      if (isHeld) return ends();
      const uri = await file.finish();
      return { ...ends(), ...(uri !== undefined && { artifact: uri }) };
    },
    async discard(): Promise<void> {
      if (!isOver) await file.discard();
      isOver = true;
    },
  };
}

/** The file of what is too long to be held, written piece by piece. What there is no room for is counted. */
function createFile(begin: () => Promise<ArtifactDraft>) {
  let waiting = "";
  let written = 0;
  let lost = 0;
  let draft: ArtifactDraft | undefined;
  let writing: Promise<void> | undefined;
  const lose = (thrown: unknown, bytes: number): void => {
    if (!(thrown instanceof CoordinatorError)) throw thrown;
    lost += bytes;
  };
  const write = async (text: string): Promise<void> => {
    const data = Buffer.from(text);
    try {
      if (lost > 0) throw new CoordinatorError("storage_full", "There was no room before");
      draft ??= await begin();
      await draft.append(data);
      written += data.length;
    } catch (thrown) {
      lose(thrown, data.length);
    }
  };
  const flush = (): Promise<void> => {
    const text = waiting;
    waiting = "";
    const settled = (writing ?? Promise.resolve())
      .then(() => write(text))
      .finally(() => {
        if (writing === settled) writing = undefined;
      });
    writing = settled;
    return settled;
  };
  return {
    /** While a promise is pending, no more should come. */
    add(text: string): Promise<void> | undefined {
      waiting += text;
      if (waiting.length >= pieceCharacters) void flush().catch(() => {});
      return writing;
    },
    lost: () => lost,
    /** Its address; none when nothing could be kept. */
    async finish(): Promise<string | undefined> {
      await flush();
      try {
        return (await draft?.finish())?.uri;
      } catch (thrown) {
        await draft?.discard();
        lose(thrown, written);
        return undefined;
      }
    },
    async discard(): Promise<void> {
      waiting = "";
      await writing?.catch(() => {});
      await draft?.discard();
    },
  };
}

/** The last characters of a text that comes in pieces. */
function createEnd(held: number) {
  let pieces: string[] = [];
  let length = 0;
  const text = () => (held === 0 ? "" : pieces.join("").slice(-held));
  return {
    text,
    clear(): void {
      pieces = [];
      length = 0;
    },
    push(piece: string): void {
      pieces.push(piece);
      length += piece.length;
      if (length <= 2 * held) return;
      pieces = [text()];
      length = held;
    },
  };
}

/** Whole characters of at most so many bytes. */
function startOf(text: string, most: number): string {
  const data = Buffer.from(text);
  let end = Math.min(most, data.length);
  const isWithin = (at: number) => ((data[at] ?? 0) & 0xc0) === 0x80;
  while (end > 0 && isWithin(end)) end--;
  return data.subarray(0, end).toString();
}
