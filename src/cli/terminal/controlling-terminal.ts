import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync, readSync } from "node:fs";
import { ReadStream, WriteStream } from "node:tty";
import { visibleText } from "../../approvals/visible-text.ts";
import { systemCode } from "../../errors.ts";
import { foldLines } from "./fold-lines.ts";

/** The terminal that a person sits at, whatever stdin and stdout are. */
export interface ControllingTerminal extends Disposable {
  /** Lines. What a terminal would obey or hide stands there as an escape, and long lines are folded, so that none begins but ours. */
  write(text: string): void;
  /**
   * What is typed after the question stands there, up to Enter and without it; undefined when it ended otherwise, or came in
   * pieces, as nobody types. Rejects when the signal is aborted.
   */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
}

const isWindows = process.platform === "win32";
const input = isWindows ? "\\\\.\\CONIN$" : "/dev/tty";
const output = isWindows ? "\\\\.\\CONOUT$" : "/dev/tty";
// Reading does not wait, so that what was typed before can be thrown away; and no terminal becomes ours by being opened.
const readFlags = isWindows ? constants.O_RDWR : constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY;

/**
 * Undefined for a process that has none (a job of cron, a child of most programs, whatever is started by setsid) or that is in
 * the background, where somebody types for another program.
 */
export function openControllingTerminal(): ControllingTerminal | undefined {
  if (isInBackground()) return undefined;
  let stream: WriteStream;
  try {
    closeSync(openSync(input, readFlags));
    stream = new WriteStream(openSync(output, constants.O_RDWR | (constants.O_NOCTTY ?? 0)));
  } catch {
    return undefined;
  }
  stream.on("error", () => {}); // it went away: nobody answers, and nothing is allowed
  const folded = (text: string) => {
    const visible = text.split("\n").map(visibleText).join("\n");
    return foldLines(visible, stream.getWindowSize()[0]);
  };
  return {
    write: (text) => void stream.write(`${folded(text)}\n`),
    async ask(question, signal) {
      signal?.throwIfAborted();
      const descriptor = openSync(input, readFlags);
      if (!isWindows) dropTyped(descriptor);
      stream.write(folded(question));
      const typed = new ReadStream(descriptor);
      try {
        return lineIn(await nextPiece(typed, signal));
      } catch (thrown) {
        stream.write("\n");
        throw thrown;
      } finally {
        typed.destroy();
      }
    },
    [Symbol.dispose]: () => void stream.destroy(),
  };
}

/** Told by Linux only; elsewhere a program in the background is stopped when it reads. */
function isInBackground(): boolean {
  if (process.platform !== "linux") return false;
  try {
    // Behind the name of the program: state, parent, group, session, terminal, the group in its foreground.
    const fields = readFileSync("/proc/self/stat", "utf8").split(") ").at(-1)?.split(" ") ?? [];
    return fields[2] !== fields[5];
  } catch {
    return false; // a system without /proc
  }
}

/** A line that was typed before the question is no answer to it. */
function dropTyped(descriptor: number): void {
  const buffer = Buffer.alloc(4096);
  try {
    while (readSync(descriptor, buffer) > 0);
  } catch (thrown) {
    if (systemCode(thrown) !== "EAGAIN") throw thrown;
  }
}

/** What one read gives: a terminal that edits lines gives a whole one. Empty at its end. */
async function nextPiece(typed: ReadStream, signal: AbortSignal | undefined): Promise<string> {
  const over = new AbortController();
  const until = { signal: AbortSignal.any([over.signal, ...(signal ? [signal] : [])]) };
  try {
    const pieces = once(typed, "data", until);
    const [piece] = (await Promise.race([pieces, once(typed, "end", until)])) as (Buffer | undefined)[];
    return piece?.toString("utf8") ?? "";
  } finally {
    over.abort();
  }
}

function lineIn(piece: string): string | undefined {
  return (isWindows ? /^(.*)\r?\n$/ : /^(.*)\n$/).exec(piece)?.[1];
}
