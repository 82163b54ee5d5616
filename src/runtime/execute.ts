import { CoordinatorError, messageOf } from "../errors.ts";
import type {
  GuestError,
  GuestOperation,
  GuestPorts,
  ImportPolicy,
  Language,
  Limits,
  Outcome,
  Sandbox,
} from "../sandbox/engine.ts";
import { JsonPieces, JsonText } from "../sandbox/json-pieces.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { Journal } from "../store/journal.ts";
import { createPauses, type Pauses } from "../system/pauses.ts";
import type { Caller } from "../upstream/caller.ts";
import type { Dispatch, ToolAnswer, ToolName } from "./dispatch.ts";
import { explainOutcome } from "./explain-outcome.ts";
import type { Libraries } from "./libraries.ts";
import { guestModules } from "./linked-modules.ts";
import { missingPackageError, missingPackages } from "./missing-packages.ts";
import type { ModuleSource } from "./module-source.ts";
import type { Observations } from "./observations.ts";
import { operationTurn } from "./operation-turns.ts";
import { fitOutput } from "./output.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { type Problem, showProblems } from "./problem.ts";
import type { Reach } from "./reach.ts";
import { createRunId } from "./run-id.ts";
import type { RunPlace } from "./run-place.ts";
import { askedByRun } from "./run-questions.ts";
import { plainError, type RunError, type RunResult, type RunStatus } from "./run-result.ts";
import type { RunsUnderWay } from "./runs-under-way.ts";
import { type EndedRun, type InstallPackages, installMissing } from "./self-heal.ts";
import { type Session, type SessionKey, type Sessions, thisProcess } from "./sessions.ts";
import { stripFences } from "./source.ts";
import { countStored, dataSize } from "./stored-data.ts";
import { readTestReport } from "./test-report.ts";
import type { Toolchain } from "./toolchain.ts";

export interface ExecuteRequest {
  readonly code: string;
  /** TypeScript when absent. */
  readonly language?: Language | undefined;
  /** The engine's name; the configured one when absent. */
  readonly engine?: string | undefined;
  /** The environment whose packages and variables it has; the configured one, if there is one, when absent. */
  readonly environment?: string | undefined;
  /** Keeps variables, imports and definitions for the client's next run of that name and language. */
  readonly session?: string | undefined;
  /** The servers that the guest may use; all when absent. */
  readonly servers?: readonly string[] | undefined;
  /** The only tools that the guest may call, as a skill declares them; all when absent. */
  readonly tools?: readonly ToolName[] | undefined;
  /** Where imports beside libraries are found, before the places that every run has. */
  readonly modules?: readonly ModuleSource[] | undefined;
  /** The file that the code is from and the arguments for it, as the guest sees them. */
  readonly argv?: readonly string[] | undefined;
  /** Runs the tests that the code defines; the result is a report of them. */
  readonly test?: boolean | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Whether to check types and names first; yes when absent. */
  readonly check?: boolean | undefined;
  /** Checks and stops before anything runs. */
  readonly dryRun?: boolean | undefined;
  /** Who asked, for the journal. */
  readonly client?: string | undefined;
  /** The client itself, for what servers ask of it; absent where nobody can be asked. */
  readonly caller?: Caller | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** Runs guest code. Guest failures are values; it throws only for what the caller got wrong, or the host cannot do. */
export type Execute = (request: ExecuteRequest) => Promise<RunResult>;

/** The same for a run that has a place among others. */
export type ExecuteInPlace = (request: ExecuteRequest, place?: RunPlace) => Promise<RunResult>;

/** Operations of ours that a guest may call by name. */
type GuestOperations = {
  readonly offered: readonly GuestOperation[];
  /** Whether it changes nothing and reaches nothing outside. */
  isReadOnly(name: string): boolean;
  /** Whether what it is given stays on the disk. */
  isStoring(name: string): boolean;
  /** Whether its answer may be large. */
  isHeavy(name: string): boolean;
  call(name: string, args: unknown, context: GuestContext): Promise<unknown>;
};

/** What an operation may do on behalf of a run. */
interface GuestContext {
  readonly run: string;
  readonly signal: AbortSignal;
  readonly client: string | undefined;
  readonly caller: Caller | undefined;
  readonly language: Language;
  /** The servers that the run may use; all when undefined. */
  readonly servers: ReadonlySet<string> | undefined;
  /** The only tools that the run may call; all when undefined. */
  readonly tools: readonly ToolName[] | undefined;
  readonly session: SessionKey | undefined;
  readonly environment: string | undefined;
  callTool(server: string, tool: string, args: Record<string, unknown>): Promise<ToolAnswer>;
  /** Counts what is about to be written, where that is more than what was given; throws when it is too much. */
  willStore(bytes: number): void;
}

export interface ExecuteOptions {
  readonly toolchain: (
    language: Language,
    engine: string | undefined,
    environment: string | undefined,
  ) => Promise<Toolchain>;
  readonly sessions: Sessions;
  readonly underWay: RunsUnderWay;
  readonly libraries: Libraries;
  readonly dispatch: Dispatch;
  readonly observations: Pick<Observations, "takeDrift">;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly operations: GuestOperations;
  readonly imports: ImportPolicy;
  /** Where the imports of every run are found, beside libraries: skills, packages. */
  readonly modules: readonly ModuleSource[];
  readonly limits: Limits & {
    readonly timeoutSeconds: number;
    readonly maxTimeoutSeconds: number;
    readonly storedMb: number;
  };
  readonly maxTokens: number;
  /** Installs what a run lacks, so that it can run once more; absent when that is not wanted. */
  readonly install?: InstallPackages | undefined;
}

const refillDelayMs = 15;

/** How a run ended, before its output is fitted. */
interface Ending {
  readonly status: RunStatus;
  readonly value?: unknown;
  readonly error?: RunError;
  /** What later runs call the session, where that is not what this one called it. */
  readonly session?: string;
}

export function createExecute(options: ExecuteOptions): ExecuteInPlace {
  const { journal } = options;
  return async (request, place) => {
    const timeoutSeconds = timeoutOf(request, options.limits);
    const servers = request.servers?.map((name) => options.libraries.server(name).name);
    const { language = "typescript" } = request;
    const source = stripFences(request.code);
    const run = createRunId();
    let tally = createTally();
    let installed: readonly string[] = [];
    let ending: Ending = { status: "error", error: { message: "The run did not end" } };
    // An engine that cannot run here is told like any other end of a run.
    const choosing = options.toolchain(language, request.engine, request.environment);
    const engine = await choosing.then(({ engine: { name } }) => name).catch(() => request.engine ?? "none");
    journal.startRun({ id: run, language, engine, code: source, client: request.client });
    const signal = options.underWay.begin(run, request.signal);
    try {
      const toolchain = await choosing;
      const sources = [...(request.modules ?? []), ...options.modules];
      const pauses = createPauses();
      const guest = {
        ...request,
        caller: request.caller && askedByRun(request.caller, pauses, place),
        place,
        pauses,
        signal,
        source,
        run,
        timeoutSeconds,
        toolchain,
        reach: { servers: servers && new Set(servers), tools: request.tools },
        sources,
      };
      ending = await runGuest(guest, tally, options);
      const healed = options.install && (await installMissing(endedRun(guest, ending, tally), options.install));
      if (healed?.error) ending = { status: ending.status, error: healed.error };
      installed = healed?.installed ?? [];
      if (healed && !healed.error) {
        tally = createTally();
        const now = await options.toolchain(language, request.engine, request.environment);
        ending = await runGuest({ ...guest, toolchain: now }, tally, options);
      }
    } catch (thrown) {
      ending = { status: "error", error: hostError(thrown) };
    } finally {
      if (ending.error) ending = { ...ending, error: plainError(ending.error) };
      options.underWay.end(run);
      journal.finishRun(run, {
        status: ending.status,
        error: ending.error?.message,
        calls: tally.total,
        resultBytes: ending.value === undefined ? 0 : Buffer.byteLength(JSON.stringify(ending.value)),
        stdoutBytes: Buffer.byteLength(tally.stdout),
      });
      // Starting processes takes milliseconds of this thread: the answer goes first.
      setTimeout(() => void choosing.then(({ pool }) => pool.refill()).catch(() => {}), refillDelayMs).unref();
    }
    const output = {
      stdout: tally.stdout,
      stderr: tally.stderr,
      ...(ending.value !== undefined && { result: ending.value }),
    };
    const drift = options.observations.takeDrift(run);
    return {
      status: ending.status,
      ...fitOutput({ run, language, source }, output, options.maxTokens, options.artifacts),
      ...(ending.error && { error: ending.error }),
      ...(ending.session !== undefined && { session: ending.session }),
      ...(installed.length > 0 && { installed }),
      ...(drift.length > 0 && { drift }),
      run,
      calls: { total: tally.total, failed: tally.failed },
    };
  };
}

interface GuestRun extends Omit<ExecuteRequest, "servers" | "tools" | "modules"> {
  readonly source: string;
  readonly run: string;
  readonly toolchain: Toolchain;
  readonly timeoutSeconds: number;
  /** The time in which its client is asked something. */
  readonly pauses: Pauses;
  readonly place: RunPlace | undefined;
  readonly reach: Reach;
  readonly sources: readonly ModuleSource[];
}

interface Tally {
  stdout: string;
  stderr: string;
  total: number;
  failed: number;
  /** Operations of ours that were not read-only. */
  otherActs: number;
  /** Bytes that were given to be stored. */
  stored: number;
}

function createTally(): Tally {
  return { stdout: "", stderr: "", total: 0, failed: 0, otherActs: 0, stored: 0 };
}

function endedRun(guest: GuestRun, { status, error }: Ending, { total, otherActs }: Tally): EndedRun {
  const { language, engine } = guest.toolchain;
  return { ...guest, language, engine: engine.name, status, error, toolCalls: total, otherActs };
}

/** In a sandbox of its own that ends with the run, or in the one that its session keeps. */
function runGuest(guest: GuestRun, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const { toolchain, session: name, place } = guest;
  if (name === undefined) return runOnce(guest, tally, options);
  // The run before it may wait for a place itself.
  const waiting = async (turn: Promise<unknown>): Promise<void> => {
    await (place ? place.aside(() => turn) : turn);
    await place?.back;
  };
  const key = { owner: ownerOf(guest), name, language: toolchain.language, environment: toolchain.environment?.name };
  const work = async (session: Session): Promise<Ending> => {
    const ending = await runInSession({ ...guest, session: session.name }, session, tally, options);
    return session.lasts && session.name !== name ? { ...ending, session: session.name } : ending;
  };
  return options.sessions.use(key, () => toolchain.pool.take(), work, waiting);
}

/** Of the client only who it is: a session lasts longer than the request that starts it. */
function ownerOf({ caller }: GuestRun): SessionKey["owner"] {
  const { id, isAnonymous } = caller ?? thisProcess;
  return { id, isAnonymous };
}

async function runOnce(guest: GuestRun, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const prepared = await prepare({ ...guest, kept: undefined, limited: [] }, options.libraries, options.imports);
  if ("problems" in prepared) return checkFailed(guest, prepared.problems);
  // The sandbox is taken while the check goes on; it gets the code only when that has passed.
  const taking = guest.dryRun ? undefined : guest.toolchain.pool.take();
  taking?.catch(() => {});
  try {
    const problems = guest.check === false ? [] : await prepared.check();
    if (problems.length > 0) return checkFailed(guest, problems);
    if (!taking) return { status: "ok" };
    return await runProgram(guest, prepared, await taking, tally, options);
  } finally {
    taking?.then((sandbox) => sandbox.kill()).catch(() => {}); // one that did not start has been reported
  }
}

async function runInSession(guest: GuestRun, session: Session, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const sources = [...guest.sources, session.modules];
  const { kept, modules } = session;
  const prepared = await prepare(
    { ...guest, kept, sources, limited: modules.limited },
    options.libraries,
    options.imports,
  );
  if ("problems" in prepared) return checkFailed(guest, prepared.problems);
  const problems = guest.check === false ? [] : await prepared.check();
  if (problems.length > 0) return checkFailed(guest, problems);
  if (guest.dryRun) return { status: "ok" };
  // Before it runs: whatever becomes of it, their code has been in the process.
  modules.keep(prepared.linked);
  const ending = await runProgram(guest, prepared, session.sandbox, tally, options);
  // What a run that failed has defined up to there is kept too.
  session.keep(prepared.compiled.declared);
  if (!session.sandbox.ended || !ending.error) return ending;
  const gone = `The session "${guest.session}" ended with this run; all that it held is gone.`;
  return { ...ending, error: { ...ending.error, hint: [ending.error.hint, gone].filter(Boolean).join(" ") } };
}

async function runProgram(
  guest: GuestRun,
  { compiled, imported, linked, reach }: Prepared,
  sandbox: Sandbox,
  tally: Tally,
  options: ExecuteOptions,
): Promise<Ending> {
  const { imports, operations, limits } = options;
  const outcome = await sandbox.run(
    {
      code: compiled.code,
      libraries: imported,
      modules: guestModules(linked),
      links: linked.links,
      operations: operations.offered,
      imports,
      argv: guest.argv,
      test: guest.test,
      ...(guest.toolchain.environment && { variables: guest.toolchain.environment.variables }),
    },
    createPorts({ ...guest, reach }, tally, options),
    { timeoutMs: guest.timeoutSeconds * 1000, signal: guest.signal, pauses: guest.pauses },
  );
  if (guest.test && outcome.end === "ok") {
    const { text, ...report } = readTestReport(outcome.value, { compiled, linked });
    tally.stdout += text;
    return report;
  }
  const ending = endingOf(outcome, { compiled, linked }, limits, guest.timeoutSeconds);
  return outcome.end === "error" ? withMissingModule(ending, outcome.error, guest) : ending;
}

async function withMissingModule(ending: Ending, failure: GuestError, guest: GuestRun): Promise<Ending> {
  const found = guest.toolchain.missingModule(failure);
  if (!found || !ending.error) return ending;
  if (!("missing" in found)) return { ...ending, error: { ...ending.error, hint: found.hint } };
  const { module } = found.missing;
  // What comes with a program is found in its text, before it runs.
  const told = (await isFound(module, guest.sources))
    ? { hint: `"${module}" is there: import it by its name, written out in the code.` }
    : missingPackageError([found.missing], guest.toolchain.language);
  return { ...ending, error: { ...ending.error, ...told } };
}

async function isFound(module: string, sources: readonly ModuleSource[]): Promise<boolean> {
  const find = async (source: ModuleSource) => source.find(module, undefined);
  for (const source of sources) if (await find(source).catch(() => undefined)) return true;
  return false;
}

function createPorts(guest: GuestRun, tally: Tally, options: ExecuteOptions): GuestPorts {
  const callTool = async (server: string, tool: string, args: { [name: string]: unknown }, signal: AbortSignal) => {
    tally.total++;
    guest.onProgress?.(`${tally.total} tool calls, ${server}.${tool}`);
    try {
      const { run, reach, caller } = guest;
      return await options.dispatch({ run, server, tool, args, reach, caller, signal });
    } catch (thrown) {
      tally.failed++;
      throw thrown;
    } finally {
      if (guest.place?.back) await guest.place.back;
    }
  };
  return {
    async call({ server, tool, args, raw }, signal) {
      const answer = await callTool(server, tool, args, signal);
      return raw ? JSON.stringify(answer.result) : answer;
    },
    async operation(name, args, signal) {
      await operationTurn(guest.run, signal);
      if (!options.operations.isReadOnly(name)) tally.otherActs++;
      const sent = options.operations.isStoring(name) ? dataSize(args) : 0;
      const store = (bytes: number): void => {
        tally.stored = countStored(tally.stored, bytes, options.limits.storedMb);
      };
      store(sent);
      const { run, client, caller } = guest;
      const { servers, tools } = guest.reach;
      const { language } = guest.toolchain;
      const session =
        guest.session === undefined ? undefined : { owner: ownerOf(guest), name: guest.session, language };
      const environment = guest.toolchain.environment?.name;
      const context = { run, signal, client, caller, servers, tools, language, session, environment };
      try {
        const output = await options.operations.call(name, args, {
          ...context,
          callTool: (server, tool, given) => callTool(server, tool, given, signal),
          willStore: (bytes) => store(Math.max(0, bytes - sent)),
        });
        if (output instanceof JsonPieces) return output;
        return output instanceof JsonText ? output.text : JSON.stringify(output ?? null);
      } finally {
        if (guest.place?.back) await guest.place.back;
      }
    },
    isHeavy: (name) => options.operations.isHeavy(name),
    print(stream, text) {
      tally[stream] += text;
    },
  };
}

function endingOf(
  outcome: Outcome,
  program: Pick<Prepared, "compiled" | "linked">,
  limits: ExecuteOptions["limits"],
  timeoutSeconds: number,
): Ending {
  if (outcome.end === "ok") return { status: "ok", ...(Object.hasOwn(outcome, "value") && { value: outcome.value }) };
  return explainOutcome(outcome, program, limits, timeoutSeconds);
}

function checkFailed({ source, language, toolchain }: GuestRun, problems: readonly Problem[]): Ending {
  const message = `Nothing has run. The code has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`;
  const error = { message: `${message}\n${showProblems(source, problems)}`, problems };
  if (language === undefined && looksLikePython(source))
    return { status: "check_failed", error: { ...error, hint: 'For Python, pass language: "python".' } };
  const missing = missingPackages(problems);
  if (missing.length === 0) return { status: "check_failed", error };
  return { status: "check_failed", error: { ...error, ...missingPackageError(missing, toolchain.language) } };
}

function looksLikePython(source: string): boolean {
  return /^(from [\w.]+ import |import [\w.]+( as \w+)?$|(async )?def \w+\(.*:$|(for|if|while|with|try)\b.*:$)/m.test(
    source,
  );
}

function hostError(thrown: unknown): RunError {
  if (!(thrown instanceof CoordinatorError)) return { message: messageOf(thrown) };
  return { message: thrown.message, code: thrown.code, ...(thrown.hint !== undefined && { hint: thrown.hint }) };
}

function timeoutOf({ timeoutSeconds }: ExecuteRequest, limits: ExecuteOptions["limits"]): number {
  if (timeoutSeconds === undefined) return limits.timeoutSeconds;
  if (timeoutSeconds > 0 && timeoutSeconds <= limits.maxTimeoutSeconds) return timeoutSeconds;
  throw new CoordinatorError("input_invalid", `The timeout of ${timeoutSeconds} seconds is out of range`, {
    hint: `Ask for more than 0 and at most ${limits.maxTimeoutSeconds} (coordinator.sandbox.limits.maxTimeoutSeconds).`,
  });
}
