import { runProgram } from "../system/run-program.ts";
import { type BubblewrapView, bubblewrapArguments } from "./bubblewrap.ts";
import { denoFilter, installerFilter } from "./seccomp.ts";

/** A program that must not be trusted, and is asked about itself. */
export interface Examination {
  readonly bubblewrap: string;
  /** The program and its arguments, by their places inside. */
  readonly command: readonly string[];
  readonly view: Pick<BubblewrapView, "readable" | "links" | "env">;
  /** Whether it may start other programs, as a script has to. */
  readonly startsPrograms?: boolean | undefined;
}

const timeoutMs = 20_000;
const scratchBytes = 8 * 1024 * 1024;
const filterDescriptor = 3;
const argumentsDescriptor = 4;
/** Kilobytes of data, CPU seconds, blocks of a file, descriptors. A constant: all else are arguments. */
const limited = 'ulimit -d 1048576 && ulimit -t 20 && ulimit -f 16384 && ulimit -n 256 && ulimit -c 0 && exec "$@"';

/**
 * What a program says on stdout, from a sandbox in which it can read the view, change nothing, reach nobody and, unless
 * it has to, start nothing. Throws when it does not end well, or in time. Linux only.
 */
export async function examineProgram({ bubblewrap, command, view, startsPrograms }: Examination): Promise<string> {
  const { arch } = process;
  if (arch !== "x64" && arch !== "arm64") throw new Error(`there is no system call filter for ${arch}`);
  const options = bubblewrapArguments({ ...view, scratchBytes, filterDescriptor, hasDevices: true });
  const words = ["-c", limited, "examine", bubblewrap, "--args", String(argumentsDescriptor), "--", ...command];
  // By a pipe: what is on a command line, values of variables too, others can see. The last word ends the options.
  const optionsText = `${options.slice(0, -1).join("\0")}\0`;
  const filter = startsPrograms ? installerFilter(arch) : denoFilter(arch);
  const end = await runProgram("/bin/sh", words, { env: {}, moreInput: [filter, optionsText], timeoutMs });
  if (end.code !== 0) throw new Error(end.problem);
  return end.stdout;
}
