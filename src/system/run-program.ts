import { signalGroup } from "./process-group.ts";
import { type GroupOptions, startGroup } from "./start-group.ts";

export interface ProgramOptions extends Omit<GroupOptions, "morePipes"> {
  /** What it reads from stdin. */
  readonly input?: string;
  /** What it reads from descriptors 3 and on. */
  readonly moreInput?: readonly (string | Uint8Array)[];
  readonly timeoutMs: number;
  /** The most bytes that it may say; 16 MB when absent. */
  readonly mostOutput?: number;
  /** Between asking it to end and making it; it is not asked when absent. */
  readonly politeMs?: number;
}

export interface ProgramEnd {
  /** Null when it did not start, or was ended. */
  readonly code: number | null;
  readonly stdout: string;
  /** The end of it. */
  readonly stderr: string;
  /** Why it did not end well: its last words, or what we have to say of it. Empty when it did. */
  readonly problem: string;
  /** Why it did not even start. */
  readonly startError?: Error;
}

const usualMost = 16 * 1024 * 1024;
const mostWords = 8192;

/** Runs a program to its end, in a process group that is ended when it takes too long or says too much. Rejects only what no system takes as a command. */
export async function runProgram(file: string, args: readonly string[], options: ProgramOptions): Promise<ProgramEnd> {
  const { input = "", moreInput = [], timeoutMs, mostOutput = usualMost, politeMs, ...where } = options;
  const { child, pipes, kill } = startGroup(file, args, { ...where, morePipes: moreInput.length });
  const parts: Buffer[] = [];
  let bytes = 0;
  let words = "";
  let reason = "";

  const stop = (why: string): void => {
    if (reason !== "") return;
    reason = why;
    clearTimeout(timer);
    if (politeMs === undefined || child.pid === undefined) return kill();
    signalGroup(child.pid, "SIGTERM");
    timer = setTimeout(kill, politeMs);
  };
  let timer = setTimeout(() => stop(`it took longer than ${timeoutMs / 1000} s`), timeoutMs);
  child.stdout.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > mostOutput) stop(`it said more than ${mostOutput} bytes`);
    else parts.push(part);
  });
  child.stderr.on("data", (part: Buffer) => {
    words = (words + part.toString()).slice(-mostWords);
  });
  for (const [index, text] of [input, ...moreInput].entries()) {
    const pipe = index === 0 ? child.stdin : pipes[index - 1];
    pipe?.on("error", () => {}); // it ended before it had read all
    pipe?.end(text);
  }
  return new Promise((resolve) => {
    const finish = (code: number | null, startError?: Error): void => {
      clearTimeout(timer);
      const stderr = words.trim();
      const isWell = code === 0 && reason === "";
      resolve({
        code: reason === "" ? code : null,
        stdout: Buffer.concat(parts).toString(),
        stderr,
        problem: isWell
          ? ""
          : reason ||
            startError?.message ||
            stderr ||
            `${file} ended with ${code === null ? "a signal" : `exit code ${code}`}`,
        ...(startError && { startError }),
      });
    };
    child.once("error", (error) => finish(null, error));
    child.once("close", (code) => finish(code));
  });
}
