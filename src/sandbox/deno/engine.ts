import { spawn } from "node:child_process";
import { constants } from "node:os";
import { CoordinatorError } from "../../errors.ts";
import { signalGroup } from "../../upstream/process-group.ts";
import { guardProcessGroup } from "../../upstream/reaper.ts";
import { bubblewrapArguments, bubblewrapProblem, sharedLibraries } from "../bubblewrap.ts";
import type { Engine, Isolation, Limits, Outcome } from "../engine.ts";
import { openProcessSandbox } from "../process-sandbox.ts";
import { denoBinary, packageFile } from "./binary.ts";

export interface DenoEngineOptions {
  readonly limits: Limits;
  /** "os": without an operating-system layer nothing runs. */
  readonly isolation: "engine" | "os";
  /** Finds a program of the system, as `which` does. */
  readonly findProgram: (name: string) => string | undefined;
}

interface Command {
  readonly isolation: Isolation;
  readonly file: string;
  readonly args: readonly string[];
}

/** V8 sets address space aside that it never touches; a limit on data must leave room for it. */
const reservedMb = 600;
const scratchBytes = 16 * 1024 * 1024;

export function createDenoEngine(options: DenoEngineOptions): Engine {
  let command: Promise<Command> | undefined;
  const prepared = (): Promise<Command> => {
    command ??= prepare(options);
    return command;
  };
  return {
    name: "deno",
    language: "typescript",
    isolation: async () => (await prepared()).isolation,
    async start(signal) {
      const { file, args } = await prepared();
      signal?.throwIfAborted();
      const child = spawn(file, args, { detached: true, stdio: ["pipe", "pipe", "pipe"], env: { NO_COLOR: "1" } });
      const { pid } = child;
      const kill = () => pid !== undefined && signalGroup(pid, "SIGKILL");
      if (pid !== undefined) child.once("exit", guardProcessGroup(pid));
      signal?.addEventListener("abort", kill, { once: true });
      return openProcessSandbox(child, { limits: options.limits, explainExit, kill });
    },
  };
}

async function prepare(options: DenoEngineOptions): Promise<Command> {
  const deno = denoBinary();
  const guest = packageFile("dist/guest/deno.js");
  const { layer, detail, bubblewrap } = await operatingSystemLayer(options);
  const limiter = limiterArguments(options);
  if (!bubblewrap) {
    return { isolation: { layer, detail }, ...join([...limiter, deno, ...denoArguments(options.limits), guest]) };
  }
  const view = {
    readable: new Map([["/deno", deno], ["/guest.js", guest], ...(await sharedLibraries(deno))]),
    // Deno asks where its own program is; the rest of /proc it does without.
    links: new Map([["/proc/self/exe", "/deno"]]),
    environment: new Map([
      ["NO_COLOR", "1"],
      ["DENO_DIR", "/tmp/deno"],
    ]),
    scratchBytes,
  };
  const inside = ["/deno", ...denoArguments(options.limits), "/guest.js"];
  return { isolation: { layer, detail }, ...join([...limiter, bubblewrap, ...bubblewrapArguments(view), ...inside]) };
}

async function operatingSystemLayer(options: DenoEngineOptions): Promise<Isolation & { bubblewrap?: string }> {
  const bubblewrap = process.platform === "linux" ? options.findProgram("bwrap") : undefined;
  const problem = bubblewrap ? await bubblewrapProblem(bubblewrap) : missing();
  if (bubblewrap && problem === undefined)
    return { layer: "os", detail: "Deno without permissions, in bubblewrap", bubblewrap };
  if (options.isolation === "engine") return { layer: "engine", detail: `Deno without permissions alone: ${problem}` };
  throw new CoordinatorError(
    "engine_unavailable",
    `The engine "deno" cannot be isolated by the operating system: ${problem}`,
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

/** Linux limits that hold whatever the guest does; elsewhere V8's own limit and the host's timer stand alone. */
function limiterArguments({ limits, findProgram }: DenoEngineOptions): string[] {
  const prlimit = process.platform === "linux" ? findProgram("prlimit") : undefined;
  if (!prlimit) return [];
  const dataBytes = (limits.memoryMb + reservedMb) * 1024 * 1024;
  return [
    prlimit,
    `--data=${dataBytes}`,
    `--cpu=${limits.cpuSeconds}:${limits.cpuSeconds + 1}`,
    "--core=0",
    "--nofile=256:256",
    "--",
  ];
}

function denoArguments(limits: Limits): string[] {
  return [
    ...["run", "--quiet", "--no-prompt", "--no-remote", "--no-npm", "--no-config", "--no-lock", "--cached-only"],
    ...["--no-code-cache", "--node-modules-dir=none", `--v8-flags=--max-old-space-size=${limits.memoryMb}`],
  ];
}

function join(words: readonly string[]): { file: string; args: readonly string[] } {
  const [file, ...args] = words;
  return { file: file as string, args };
}

function explainExit(code: number | null, signal: NodeJS.Signals | null): Outcome {
  // bubblewrap reports a signal of the process inside as 128 plus its number.
  const number = signal ? constants.signals[signal] : code !== null && code > 128 ? code - 128 : undefined;
  if (number === constants.signals.SIGXCPU) return { end: "limit", limit: "cpu" };
  // How V8 and its allocators give up, mostly without a word; a guest without permissions has hardly another way there.
  const { SIGABRT, SIGTRAP } = constants.signals;
  if (number === SIGABRT || number === SIGTRAP) return { end: "limit", limit: "memory" };
  return { end: "crashed", reason: `The sandbox process ended (${signal ?? `exit code ${code}`})` };
}
