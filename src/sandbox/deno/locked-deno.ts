import { constants } from "node:os";
import { CoordinatorError } from "../../errors.ts";
import { runProgram } from "../../system/run-program.ts";
import { startGroup } from "../../system/start-group.ts";
import { bubblewrapArguments, bubblewrapProblem, sharedLibraries } from "../bubblewrap.ts";
import { childGuestProcess } from "../child-process.ts";
import type { Engine, EngineOptions, Isolation, Limits, Outcome } from "../engine.ts";
import { openSandbox } from "../open-sandbox.ts";
import { denoFilter } from "../seccomp.ts";
import { denoBinary } from "./binary.ts";

export interface LockedDenoOptions extends EngineOptions {
  /** "os": without an operating-system layer nothing runs. */
  readonly isolation: "engine" | "os";
}

/** What a Deno without permissions runs, and what it needs for that. */
export interface LockedScript {
  readonly engine: string;
  /** What stands between the guest and the system where there is no other layer. */
  readonly layer: string;
  readonly script: string;
  /** Files that the script may read until it gives that up itself, by a name that we chose. */
  readonly files: ReadonlyMap<string, string>;
  readonly v8Flags: readonly string[];
  /** What the script is told, with the place where it finds each of its files. */
  readonly argument?: (places: ReadonlyMap<string, string>, stackBytes: number) => string;
  /** Memory and CPU time that the process takes beside what the guest may use. */
  readonly reservedMb: number;
  readonly reservedSeconds: number;
  /** The stack that it would like to have; 0 means whatever there is. */
  readonly stackMb: number;
  /** What exit codes of the script's own mean. */
  readonly crashes?: ReadonlyMap<number, string>;
}

interface Command {
  readonly isolation: Isolation;
  readonly crashes: ReadonlyMap<number, string>;
  readonly file: string;
  readonly args: readonly string[];
  /** What the process may ask of the kernel, where there is a filter for this architecture. */
  readonly filter?: Uint8Array | undefined;
}

const filterDescriptor = 3;

/** What a process gets when nobody asks; V8 takes less, to leave room for the rest of Deno. */
const usualStackMb = 8;
const stackRoomKb = 1024;

/** Runs one of our scripts in a Deno without permissions, limited by the system, in bubblewrap where there is one. */
export function createLockedDeno(
  options: LockedDenoOptions,
  describe: () => Promise<LockedScript>,
): Pick<Engine, "isolation" | "start"> {
  let command: Promise<Command> | undefined;
  const prepared = (): Promise<Command> => {
    command ??= describe().then((script) => prepare(options, script));
    return command;
  };
  return {
    isolation: async () => (await prepared()).isolation,
    async start(signal) {
      const { file, args, crashes, filter } = await prepared();
      signal?.throwIfAborted();
      const group = startGroup(file, args, { env: { NO_COLOR: "1" }, morePipes: filter ? 1 : 0 });
      const [filterPipe] = group.pipes;
      filterPipe?.on("error", () => {}); // it could not start: its end says so
      if (filter) filterPipe?.end(filter);
      const guest = childGuestProcess(group, (code, end) => explainExit(code, end, crashes));
      signal?.addEventListener("abort", guest.kill, { once: true });
      return openSandbox(guest, options.limits);
    },
  };
}

async function prepare(options: LockedDenoOptions, script: LockedScript): Promise<Command> {
  const deno = denoBinary();
  const { layer, detail, bubblewrap } = await operatingSystemLayer(options, script);
  const command = { isolation: { layer, detail }, crashes: script.crashes ?? new Map() };
  const stackMb = await stackLimit(options, script);
  const limiter = limiterArguments(options, script, stackMb);
  if (!bubblewrap) {
    const inside = denoArguments(script, script.script, script.files, stackMb, options.limits);
    return { ...command, ...join([...limiter, deno, ...inside]) };
  }
  const filter = process.arch === "x64" || process.arch === "arm64" ? denoFilter(process.arch) : undefined;
  const places = new Map([...script.files.keys()].map((name) => [name, `/${name}`]));
  const files = [...script.files].map(([name, path]) => [`/${name}`, path] as const);
  const view = {
    readable: new Map([["/deno", deno], ["/guest.js", script.script], ...files, ...(await sharedLibraries(deno))]),
    // Deno asks where its own program is; the rest of /proc it does without.
    links: new Map([["/proc/self/exe", "/deno"]]),
    env: new Map([
      ["NO_COLOR", "1"],
      ["DENO_DIR", "/tmp/deno"],
    ]),
    scratchBytes: options.limits.scratchMb * 1024 * 1024,
    ...(filter && { filterDescriptor }),
  };
  const inside = denoArguments(script, "/guest.js", places, stackMb, options.limits);
  return { ...command, filter, ...join([...limiter, bubblewrap, ...bubblewrapArguments(view), "/deno", ...inside]) };
}

async function operatingSystemLayer(
  options: LockedDenoOptions,
  { engine, layer }: LockedScript,
): Promise<Isolation & { bubblewrap?: string }> {
  const bubblewrap = process.platform === "linux" ? options.findProgram("bwrap") : undefined;
  const problem = bubblewrap ? await bubblewrapProblem(bubblewrap) : missing();
  if (bubblewrap && problem === undefined) return { layer: "os", detail: `${layer}, in bubblewrap`, bubblewrap };
  if (options.isolation === "engine") return { layer: "engine", detail: `${layer} alone: ${problem}` };
  throw new CoordinatorError(
    "engine_unavailable",
    `The engine "${engine}" cannot be isolated by the operating system: ${problem}`,
    {
      hint:
        process.platform === "linux"
          ? 'Install bubblewrap (apt-get install bubblewrap) and allow user namespaces, or set coordinator.sandbox.isolation to "engine".'
          : 'Set coordinator.sandbox.isolation to "engine": this system has no bubblewrap.',
    },
  );
}

function missing(): string {
  return process.platform === "linux" ? "bubblewrap (bwrap) is not installed" : `${process.platform} has no bubblewrap`;
}

function limiterProgram({ findProgram }: LockedDenoOptions): string | undefined {
  return process.platform === "linux" ? findProgram("prlimit") : undefined;
}

/** The stack that the process can have: what it wants where we may say so, else what is usual. */
async function stackLimit(options: LockedDenoOptions, { stackMb }: LockedScript): Promise<number> {
  const prlimit = limiterProgram(options);
  if (!prlimit || stackMb <= usualStackMb) return usualStackMb;
  const question = ["--stack", "--output=HARD", "--noheadings", "--raw"];
  const { code, stdout, problem } = await runProgram(prlimit, question, { timeoutMs: 10_000 });
  if (code !== 0) throw new Error(`prlimit: ${problem}`);
  const hardest = stdout.trim() === "unlimited" ? Number.POSITIVE_INFINITY : Number(stdout);
  return hardest >= stackMb * 1024 * 1024 ? stackMb : usualStackMb;
}

/** Linux limits that hold whatever the guest does; elsewhere V8's own limit and the host's timer stand alone. */
function limiterArguments(options: LockedDenoOptions, script: LockedScript, stackMb: number): string[] {
  const prlimit = limiterProgram(options);
  if (!prlimit) return [];
  const { memoryMb, openFiles } = options.limits;
  const cpuSeconds = options.limits.cpuSeconds + script.reservedSeconds;
  return [
    prlimit,
    `--data=${(memoryMb + script.reservedMb) * 1024 * 1024}`,
    `--cpu=${cpuSeconds}:${cpuSeconds + 1}`,
    "--core=0",
    `--nofile=${openFiles}:${openFiles}`,
    ...(stackMb > usualStackMb ? [`--stack=${stackMb * 1024 * 1024}`] : []),
    "--",
  ];
}

/** Deno's own words for: no permission, nothing from elsewhere, nothing kept. */
export function lockedArguments(v8Flags: readonly string[]): string[] {
  return [
    ...["run", "--quiet", "--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock", "--cached-only"],
    ...["--no-code-cache", "--node-modules-dir=none", `--v8-flags=${v8Flags.join(",")}`],
  ];
}

function denoArguments(
  { files, argument, v8Flags, stackMb: wantedStackMb }: LockedScript,
  script: string,
  places: ReadonlyMap<string, string>,
  stackMb: number,
  limits: Limits,
): string[] {
  const stackKb = stackMb * 1024 - stackRoomKb;
  // Windows gives the first thread less than is usual elsewhere.
  const stack = process.platform === "win32" || wantedStackMb === 0 ? [] : [`--stack-size=${stackKb}`];
  const flags = [`--max-old-space-size=${limits.memoryMb}`, ...stack, ...v8Flags];
  // Deno separates paths by commas; a comma in a path is written twice.
  const readable = [...places.values()].map((path) => path.replaceAll(",", ",,")).join(",");
  return [
    ...lockedArguments(flags),
    ...(files.size > 0 ? [`--allow-read=${readable}`] : []),
    script,
    ...(argument ? [argument(places, stackKb * 1024)] : []),
  ];
}

function join(words: readonly string[]): { file: string; args: readonly string[] } {
  const [file, ...args] = words;
  return { file: file as string, args };
}

function explainExit(
  code: number | null,
  signal: NodeJS.Signals | null,
  crashes: ReadonlyMap<number, string>,
): Outcome {
  // bubblewrap reports a signal of the process inside as 128 plus its number.
  const number = signal ? constants.signals[signal] : code !== null && code > 128 ? code - 128 : undefined;
  if (number === constants.signals.SIGXCPU) return { end: "limit", limit: "cpu" };
  // How V8 and its allocators give up, mostly without a word; a guest without permissions has hardly another way there.
  const { SIGABRT, SIGTRAP } = constants.signals;
  if (number === SIGABRT || number === SIGTRAP) return { end: "limit", limit: "memory" };
  const reason = (code !== null && crashes.get(code)) || `The sandbox process ended (${signal ?? `exit code ${code}`})`;
  return { end: "crashed", reason };
}
