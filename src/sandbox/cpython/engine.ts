import { existsSync } from "node:fs";
import { constants, release } from "node:os";
import { join } from "node:path";
import { CoordinatorError, messageOf } from "../../errors.ts";
import { packageFile } from "../../system/package-file.ts";
import { bubblewrapArguments, bubblewrapProblem, findSandboxTools } from "../bubblewrap.ts";
import { type GuestGroups, openGuestGroups } from "../cgroup.ts";
import type { Engine, EngineOptions, Isolation, Limits, Outcome, Sandbox } from "../engine.ts";
import { openSandbox } from "../open-sandbox.ts";
import { pythonFilter } from "../seccomp.ts";
import { type End, type ForkedGuest, type ForkServer, type ForkServerOptions, startForkServer } from "./fork-server.ts";
import { describeInterpreter, type Interpreter, minorOf } from "./interpreter.ts";
import { recallInterpreter } from "./known-interpreter.ts";

export interface CPythonEngineOptions extends EngineOptions {
  /** The Python to use, a virtual environment's for example; else `python3`. */
  readonly interpreter?: string;
  /** Folders of packages that are searched before the interpreter's own. */
  readonly packages?: readonly string[];
  /** Whether folders elsewhere count that its packages name; yes when absent. */
  readonly followsLinks?: boolean;
  /** A folder in which to remember what an interpreter consists of. */
  readonly memory?: string;
}

interface Prepared {
  readonly isolation: Isolation;
  readonly interpreter: Interpreter;
  readonly groups: GuestGroups | undefined;
  readonly command: ForkServerOptions["command"];
  readonly settings: object;
}

/** Guests that one fork server can start; the next server is started when only a few are left. */
const slots = 32;
const fewSlots = 4;
/** Names of groups are one for the whole process, which may have several engines. */
let serverCount = 0;

/** CPython in bubblewrap: a fork server inside makes a process with namespaces of its own for each guest. */
export function createCPythonEngine(options: CPythonEngineOptions): Engine {
  const servers = createServers(options.limits);
  let preparing: Promise<Prepared> | undefined;
  const prepared = (): Promise<Prepared> => {
    preparing ??= prepare(options, () => void rest());
    preparing.catch(() => {
      preparing = undefined; // what is missing may be installed meanwhile
    });
    return preparing;
  };
  const rest = async (): Promise<void> => {
    if (!(await servers.retire())) return; // sessions and runs go on
    // The groups are made again with the next start.
    const ready = preparing;
    preparing = undefined;
    await (await ready?.catch(() => undefined))?.groups?.remove();
  };

  return {
    name: "cpython",
    language: "python",
    isAutomatic: true,
    takesPackages: true,
    waiting: 2,
    equip: async ({ folder, followLinks, interpreter }) =>
      createCPythonEngine({
        ...options,
        interpreter: await interpreter(),
        packages: folder === undefined ? [] : [folder],
        followsLinks: followLinks,
      }),
    isolation: async () => (await prepared()).isolation,
    version: async () => minorOf((await prepared()).interpreter.version),
    modules: async () => (await prepared()).interpreter.modules,
    async start(signal) {
      const ready = await prepared();
      signal?.throwIfAborted();
      const guest = servers.withSlot(ready).startGuest();
      signal?.addEventListener("abort", guest.kill, { once: true });
      return pausedBetweenRuns(await openSandbox(guest, options.limits), guest);
    },
    rest,
  };
}

/** The fork servers of an engine: one that starts guests, the one after it, and those whose last guests still run. */
function createServers(limits: Limits) {
  const servers = new Set<ForkServer>();
  let current: ForkServer | undefined;
  let following: ForkServer | undefined;
  const start = ({ command, settings, groups }: Prepared): ForkServer => {
    const name = String(++serverCount);
    const server = startForkServer({
      command,
      settings: { ...settings, name },
      slots,
      beforeStart: (slot) => groups?.open(`${name}-${slot}`),
      explainEnd(slot, end) {
        const isOutOfMemory = groups?.ranOutOfMemory(`${name}-${slot}`) ?? false;
        groups?.close(`${name}-${slot}`);
        return isOutOfMemory ? { end: "limit", limit: "memory" } : explain(end, limits);
      },
      onEnd: () => servers.delete(server),
    });
    servers.add(server);
    return server;
  };
  return {
    withSlot(ready: Prepared): ForkServer {
      if (current?.freeSlots === 0) {
        void current.retire();
        current = undefined;
      }
      current ??= following && !following.isEnded ? following : start(ready);
      if (current === following) following = undefined;
      if (current.freeSlots <= fewSlots) following ??= start(ready);
      return current;
    },
    /** Ends all that have no guest; whether that is all. */
    async retire(): Promise<boolean> {
      current = undefined;
      following = undefined;
      await Promise.all([...servers].map((server) => server.retire()));
      return servers.size === 0;
    },
  };
}

/** A guest that ran once is ended by then, and needs no pause. */
const pauseAfterMs = 100;

/** What a session's threads do between its runs is done in the next one: nobody waits for it, and nobody counts its time. */
function pausedBetweenRuns(sandbox: Sandbox, guest: ForkedGuest): Sandbox {
  let isPaused = false;
  let timer: NodeJS.Timeout | undefined;
  const pause = (): void => {
    isPaused = true;
    guest.pause();
  };
  return {
    get ended() {
      return sandbox.ended;
    },
    async run(...args) {
      clearTimeout(timer);
      if (isPaused) guest.resume();
      isPaused = false;
      const outcome = await sandbox.run(...args);
      if (!sandbox.ended) timer = setTimeout(pause, pauseAfterMs).unref();
      return outcome;
    },
    kill() {
      clearTimeout(timer);
      sandbox.kill();
    },
  };
}

async function prepare(options: CPythonEngineOptions, onChanged: () => void): Promise<Prepared> {
  const tools = findSandboxTools(options.findProgram);
  if (typeof tools === "string") throw unusable(tools);
  const { bubblewrap } = tools;
  const python = options.interpreter ?? options.findProgram("python3");
  if (!python) throw unusable("python3 is not installed");
  const opening = openGuestGroups(options.limits);
  const asking = Promise.all([
    bubblewrapProblem(bubblewrap),
    describe(python, bubblewrap, options, onChanged).catch((failure: unknown) => ({ failure })),
  ]);
  const filter = Buffer.from(pythonFilter(tools.architecture)).toString("base64"); // while the others are under way
  const [problem, interpreter] = await asking;
  const groups = await opening;
  if (problem !== undefined || "failure" in interpreter) {
    await groups?.remove();
    const failure = "failure" in interpreter ? interpreter.failure : undefined;
    throw unusable(problem ?? messageOf(failure), failure);
  }
  const groupPlaces = new Map((groups?.folders ?? []).map((folder, index) => [`/cgroup/${index}`, folder]));
  const layers = [
    "namespaces of its own",
    "a system call filter",
    "resource limits",
    ...(groups ? [groups.detail] : []),
  ];
  return {
    isolation: {
      layer: "os",
      detail: `Python ${interpreter.version} in bubblewrap; for each guest ${layers.join(", ")}`,
    },
    interpreter,
    groups,
    command: commandOf(bubblewrap, interpreter, groupPlaces),
    settings: {
      limits: options.limits,
      filter,
      packages: interpreter.packages,
      countsProcesses: countsProcessesByNamespace(),
      cgroups: [...groupPlaces.keys()],
    },
  };
}

async function describe(
  python: string,
  bubblewrap: string,
  { packages, interpreter, followsLinks = true, memory }: CPythonEngineOptions,
  onChanged: () => void,
): Promise<Interpreter> {
  const describing = { bubblewrap, further: packages, mayBeScript: interpreter === undefined, followsLinks };
  if (memory === undefined) return describeInterpreter(python, describing);
  return recallInterpreter(python, describing, memory, onChanged);
}

function commandOf(
  bubblewrap: string,
  interpreter: Interpreter,
  groupPlaces: ReadonlyMap<string, string>,
): Prepared["command"] {
  const view = {
    readable: new Map([...interpreter.readable, ...guestCode(interpreter)]),
    writable: groupPlaces,
    hidden: interpreter.hidden,
    // Named semaphores, which even thread pools of multiprocessing take, are files there.
    links: new Map([["/dev/shm", "/tmp"]]),
    env: new Map([["LD_LIBRARY_PATH", interpreter.libraryPath]]),
    scratchBytes: 1024 * 1024,
    makesNamespaces: true,
  };
  const inside = [interpreter.program, "-I", "-B", "-S", "/guest/main.py", "fork-server"];
  return [bubblewrap, ...bubblewrapArguments(view), ...inside];
}

/** Our own code, and over the folder that our package has for it, what this interpreter made of it. */
function guestCode({ compiled }: Interpreter): readonly (readonly [string, string])[] {
  const folder = packageFile("dist/guest/python");
  const hasPlace = existsSync(join(folder, "__pycache__"));
  return [["/guest", folder], ...(compiled && hasPlace ? [["/guest/__pycache__", compiled] as const] : [])];
}

/** Whether the kernel's limit on processes counts those of a guest alone: before 5.14 it counts all of the user's. */
function countsProcessesByNamespace(): boolean {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  return process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
}

function explain(end: End | undefined, limits: Limits): Outcome {
  if (!end) return { end: "crashed", reason: "The fork server of the sandbox ended" };
  const { code, signal, cpuMs } = end;
  // Nobody inside can send it: it came from the limit on CPU time, which the kernel counts less exactly than this.
  const isUsedUp = cpuMs >= limits.cpuSeconds * 500;
  if (signal === constants.signals.SIGKILL && isUsedUp) return { end: "limit", limit: "cpu" };
  const how = signal === undefined ? `exit code ${code}` : `signal ${signal}`;
  return { end: "crashed", reason: `The sandbox process ended (${how})` };
}

function unusable(problem: string, cause?: unknown): CoordinatorError {
  return new CoordinatorError("engine_unavailable", `The engine "cpython" cannot run here: ${problem}`, {
    hint: 'Install both (apt-get install bubblewrap python3) and allow user namespaces; "pyodide" needs neither.',
    cause,
  });
}
