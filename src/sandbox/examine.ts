import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { signalGroup } from "../upstream/process-group.ts";
import { guardProcessGroup } from "../upstream/reaper.ts";
import { type BubblewrapView, bubblewrapArguments } from "./bubblewrap.ts";
import { denoFilter, installerFilter } from "./seccomp.ts";

/** A program that must not be trusted, and is asked about itself. */
export interface Examination {
  readonly bubblewrap: string;
  /** The program and its arguments, by their places inside. */
  readonly command: readonly string[];
  readonly view: Pick<BubblewrapView, "readable" | "links" | "environment">;
  /** Whether it may start other programs, as a script has to. */
  readonly startsPrograms?: boolean | undefined;
}

const timeoutMs = 20_000;
const outputBytes = 16 * 1024 * 1024;
const scratchBytes = 8 * 1024 * 1024;
const filterDescriptor = 3;
const argumentsDescriptor = 4;
/** Kilobytes of data, CPU seconds, blocks of a file, descriptors. A constant: all else are arguments. */
const limited = 'ulimit -d 1048576 && ulimit -t 20 && ulimit -f 16384 && ulimit -n 256 && ulimit -c 0 && exec "$@"';

/**
 * What a program says on stdout, from a sandbox in which it can read the view, change nothing, reach nobody and, unless
 * it has to, start nothing. Throws when it does not end well, or in time. Linux only.
 */
export async function examine({ bubblewrap, command, view, startsPrograms }: Examination): Promise<string> {
  const { arch } = process;
  if (arch !== "x64" && arch !== "arm64") throw new Error(`there is no system call filter for ${arch}`);
  const options = bubblewrapArguments({ ...view, scratchBytes, filterDescriptor, hasDevices: true });
  const words = ["-c", limited, "examine", bubblewrap, "--args", String(argumentsDescriptor), "--", ...command];
  const child = spawn("/bin/sh", words, {
    detached: true,
    stdio: ["ignore", ...Array<"pipe">(4).fill("pipe")],
    env: {},
  });
  const { pid } = child;
  if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
  const [, stdout, stderr, filter, args] = child.stdio as unknown as [null, Readable, Readable, Writable, Writable];
  for (const pipe of [filter, args]) pipe.on("error", () => {}); // it could not start: its end says so
  filter.end(startsPrograms ? installerFilter(arch) : denoFilter(arch));
  // By a pipe: what is on a command line, values of variables too, others can see. The last word ends the options.
  args.end(`${options.slice(0, -1).join("\0")}\0`);

  let problem: string | undefined;
  const stop = (why: string): void => {
    problem ??= why;
    if (pid !== undefined) signalGroup(pid, "SIGKILL");
  };
  const timer = setTimeout(() => stop(`it took longer than ${timeoutMs / 1000} seconds`), timeoutMs);
  const parts: Buffer[] = [];
  let bytes = 0;
  stdout.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes > outputBytes) stop("it said too much");
    else parts.push(part);
  });
  let lastWords = "";
  stderr.on("data", (part: Buffer) => {
    lastWords = (lastWords + part.toString()).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once("error", () => resolve(null));
    child.once("close", resolve);
  });
  clearTimeout(timer);
  if (problem !== undefined || code !== 0) throw new Error(problem ?? (lastWords.trim() || `it ended with ${code}`));
  return Buffer.concat(parts).toString();
}
