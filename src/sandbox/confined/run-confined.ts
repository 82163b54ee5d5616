import { mkdtemp, rm } from "node:fs/promises";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { certificateFiles } from "../../config/certificates.ts";
import { CoordinatorError } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import { startGroup } from "../../system/start-group.ts";
import { bubblewrapArguments, sharedLibraries, workingSandboxTools } from "../bubblewrap.ts";
import { type GuestGroups, openGuestGroups } from "../cgroup.ts";
import type { FindProgram } from "../engine.ts";
import { installerFilter } from "../seccomp.ts";
import { type FolderSize, folderSize } from "./folder-size.ts";
import { openIndexProxy, type Reachable } from "./index-proxy.ts";

/** One command that must not be trusted, and all that it can see, change and reach. */
export interface ConfinedCommand {
  /** The program and its arguments, by their places inside. */
  readonly command: readonly string[];
  /** Host files and folders that it may read, by their places inside. */
  readonly readable: ReadonlyMap<string, string>;
  /** The one folder that it may change, where it is started, and which may grow to `maxMb`. */
  readonly writable: { readonly inside: string; readonly outside: string };
  /** Its whole environment, but for certificates and the proxy. */
  readonly env: ReadonlyMap<string, string>;
  /** The hosts that it may reach, by HTTP and HTTPS. */
  readonly reachable: readonly Reachable[];
  readonly timeoutSeconds: number;
  readonly maxMb: number;
  /** How many files and folders the writable folder may hold; 200,000 when absent. */
  readonly maxEntries?: number;
  readonly findProgram: FindProgram;
  readonly signal?: AbortSignal | undefined;
  /** Gets each line that the command prints. */
  readonly onOutput?: ((line: string) => void) | undefined;
}

export interface ConfinedEnd {
  /** 0 when it ended well; null when something stopped it. */
  readonly exitCode: number | null;
  readonly stopped?: "timeout" | "size" | "entries" | "memory" | "cancelled";
  /** The last of what it printed. */
  readonly output: string;
  /** Places that it wanted to reach and may not, as `host:port`. */
  readonly refused: readonly string[];
  /** Why places that it may reach could not be. */
  readonly unreachable: readonly string[];
}

/** Far more than the largest environments have, and little of what a disk can hold. */
export const usualEntries = 200_000;
const memoryMb = 2048;
const scratchMb = 64;
const processes = 256;
const openFiles = 1024;
const outputBytes = 64 * 1024;
const lineBytes = 500;
const sizeCheckMs = 1000;
/** Where the proxy listens inside; nobody else is there. */
const proxyPort = 3128;
const proxyVariables = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
const filterDescriptor = 3;
const group = "command";

/** Puts itself into control groups before it becomes the command, so that nothing is outside. A constant: all else are arguments. */
const joinGroups = 'umask 022; while [ "$1" != -- ]; do echo 0 > "$1" || exit 1; shift; done; shift; exec "$@"';

/** Runs a command in a sandbox of its own until its end. Throws engine_unavailable where no sandbox can be made. */
export async function runConfined(command: ConfinedCommand): Promise<ConfinedEnd> {
  const tools = await workingSandboxTools(command.findProgram);
  if (typeof tools === "string") throw noSandbox(tools);
  command.signal?.throwIfAborted();
  const folder = await mkdtemp(join(tmpdir(), "mcp-coordinator-"));
  const groups = await openGuestGroups({ memoryMb, scratchMb, processes });
  const proxy = await openIndexProxy(join(folder, "index"), command.reachable);
  try {
    groups?.open(group);
    const words = await commandLine(command, tools.bubblewrap, folder, groups);
    const end = await follow(words, installerFilter(tools.architecture), command, groups);
    return { ...end, refused: proxy.refused, unreachable: proxy.failures };
  } finally {
    await proxy.close();
    groups?.close(group);
    await groups?.remove();
    await rm(folder, { recursive: true, force: true });
  }
}

function noSandbox(problem: string): CoordinatorError {
  return new CoordinatorError("engine_unavailable", `There is no sandbox to install packages in: ${problem}`, {
    hint: "Nothing was installed. On Linux, install bubblewrap (apt-get install bubblewrap) and allow user namespaces.",
  });
}

async function commandLine(
  { command, readable, writable, env, maxMb, timeoutSeconds, findProgram }: ConfinedCommand,
  bubblewrap: string,
  socketFolder: string,
  groups: GuestGroups | undefined,
): Promise<readonly string[]> {
  const certificates = [...certificateFiles()];
  const view = {
    readable: new Map([
      ...(await sharedLibraries(process.execPath)),
      ...readable,
      ["/forward/node", process.execPath],
      ["/forward/forward.mjs", packageFile("dist/forward.js")],
      ["/forward/socket", socketFolder],
      ...certificates.map(([name, path]) => [`/certificates/${name}`, path] as const),
    ]),
    writable: new Map([[writable.inside, writable.outside]]),
    links: new Map([["/dev/shm", "/tmp"]]),
    env: new Map([
      ...env,
      ...certificates.map(([name]) => [name, `/certificates/${name}`] as const),
      ...proxyVariables.map((name) => [name, `http://127.0.0.1:${proxyPort}`] as const),
    ]),
    scratchBytes: scratchMb * 1024 * 1024,
    filterDescriptor,
    hasDevices: true,
  };
  const forward = ["/forward/node", "/forward/forward.mjs", String(proxyPort), "/forward/socket/index"];
  const inside = [...forward, writable.inside, ...command];
  const prlimit = findProgram("prlimit");
  if (!prlimit) throw noSandbox("prlimit is not installed");
  const limiter = [
    prlimit,
    ...[`--data=${memoryMb * 1024 * 1024}`, `--fsize=${maxMb * 1024 * 1024}`, `--cpu=${timeoutSeconds}`],
    ...["--core=0", `--nofile=${openFiles}:${openFiles}`, "--"],
  ];
  const joined = (groups?.folders ?? []).map((folder) => join(folder, group, "cgroup.procs"));
  const joining = ["/bin/sh", "-c", joinGroups, "confine", ...joined, "--"];
  return [...joining, ...limiter, bubblewrap, ...bubblewrapArguments(view), ...inside];
}

function follow(
  [file, ...args]: readonly string[],
  filter: Uint8Array,
  { signal, timeoutSeconds, maxMb, maxEntries = usualEntries, writable, onOutput }: ConfinedCommand,
  groups: GuestGroups | undefined,
): Promise<Pick<ConfinedEnd, "exitCode" | "stopped" | "output">> {
  const { child, pipes, kill } = startGroup(file as string, args, { env: {}, morePipes: 1 });
  for (const pipe of [child.stdin, ...pipes]) pipe.on("error", () => {}); // it could not start: its end says so
  child.stdin.end();
  pipes[0]?.end(filter);

  let stopped: ConfinedEnd["stopped"];
  const stop = (reason: NonNullable<ConfinedEnd["stopped"]>): void => {
    stopped ??= reason;
    kill();
  };
  const cancel = () => stop("cancelled");
  signal?.addEventListener("abort", cancel, { once: true });
  const timer = setTimeout(() => stop("timeout"), timeoutSeconds * 1000);
  const endWatch = watchSize(writable.outside, maxEntries, ({ bytes, entries }) => {
    if (entries > maxEntries) stop("entries");
    else if (bytes > maxMb * 1024 * 1024) stop("size");
  });

  let output = "";
  const take = (line: string): void => {
    output = `${output}${line}\n`.slice(-outputBytes);
    onOutput?.(line);
  };
  onLines(child.stdout, take);
  onLines(child.stderr, take);
  return new Promise((resolve) => {
    const finish = async (exitCode: number | null): Promise<void> => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      await endWatch();
      if (exitCode !== 0 && groups?.ranOutOfMemory(group)) stopped ??= "memory";
      resolve({ exitCode: stopped ? null : exitCode, ...(stopped && { stopped }), output: output.trim() });
    };
    child.once("error", (error) => {
      take(error.message);
      void finish(null);
    });
    child.once("close", (code, end) => void finish(code ?? (end ? 128 + constants.signals[end] : 1)));
  });
}

/** Looks from outside how large a folder has become; what it returns looks a last time and stops that. */
function watchSize(folder: string, maxEntries: number, onSize: (size: FolderSize) => void): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const look = async (): Promise<void> => {
    const started = performance.now();
    onSize(await folderSize(folder, maxEntries));
    // A large folder takes longer to look through: that is not to become all we do.
    if (!isOver) timer = setTimeout(() => void look(), sizeCheckMs + 4 * (performance.now() - started));
  };
  timer = setTimeout(() => void look(), sizeCheckMs);
  return async () => {
    isOver = true;
    clearTimeout(timer);
    await look();
  };
}

/** The lines of a stream, without colours; one that never ends comes in pieces. */
function onLines(stream: Readable, take: (line: string) => void): void {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("data", (text: string) => {
    const lines = (rest + text).split(/[\r\n]+/);
    rest = lines.pop() ?? "";
    if (rest.length > lineBytes) lines.push(rest.slice(0, lineBytes));
    rest = rest.length > lineBytes ? "" : rest;
    for (const line of lines) takeClean(line, take);
  });
  stream.on("close", () => takeClean(rest, take));
}

function takeClean(line: string, take: (line: string) => void): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
  const clean = line.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "").replace(/[\x00-\x08\x0b-\x1f\x7f]/g, "");
  if (clean.trim() !== "") take(clean.slice(0, lineBytes));
}
