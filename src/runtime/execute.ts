import { CoordinatorError, messageOf } from "../errors.ts";
import type {
  GuestOperation,
  GuestPorts,
  ImportPolicy,
  Language,
  Limits,
  Outcome,
  Sandbox,
} from "../sandbox/engine.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { Journal } from "../store/journal.ts";
import type { Dispatch, ToolName } from "./dispatch.ts";
import { explainOutcome } from "./explain-outcome.ts";
import type { Libraries } from "./libraries.ts";
import { guestModules } from "./linked-modules.ts";
import type { ModuleSource } from "./module-source.ts";
import { fitOutput } from "./output.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { type Problem, showProblems } from "./problem.ts";
import { createRunId } from "./run-id.ts";
import type { RunError, RunResult, RunStatus } from "./run-result.ts";
import type { Session, SessionKey, Sessions } from "./sessions.ts";
import { stripFences } from "./source.ts";
import { readTestReport } from "./test-report.ts";
import type { Toolchain } from "./toolchain.ts";

export interface ExecuteRequest {
  readonly code: string;
  /** TypeScript when absent. */
  readonly language?: Language | undefined;
  /** The engine's name; the configured one when absent. */
  readonly engine?: string | undefined;
  /** Keeps variables, imports and definitions for the next run of that name and language. */
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
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((message: string) => void) | undefined;
}

/** Runs guest code. Guest failures are values; it throws only for what the caller got wrong, or the host cannot do. */
export type Execute = (request: ExecuteRequest) => Promise<RunResult>;

/** Operations of ours that a guest may call by name. */
type GuestOperations = {
  readonly offered: readonly GuestOperation[];
  call(name: string, args: unknown, context: GuestContext): Promise<unknown>;
};

/** What an operation may do on behalf of a run. */
interface GuestContext {
  readonly signal: AbortSignal;
  readonly client: string | undefined;
  readonly language: Language;
  /** The servers that the run may use; all when undefined. */
  readonly servers: ReadonlySet<string> | undefined;
  /** The only tools that the run may call; all when undefined. */
  readonly tools: readonly ToolName[] | undefined;
  readonly session: SessionKey | undefined;
  callTool(server: string, tool: string, args: Record<string, unknown>): Promise<unknown>;
}

export interface ExecuteOptions {
  readonly toolchain: (language: Language, engine: string | undefined) => Promise<Toolchain>;
  readonly sessions: Sessions;
  readonly libraries: Libraries;
  readonly dispatch: Dispatch;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly operations: GuestOperations;
  readonly imports: ImportPolicy;
  /** Where the imports of every run are found, beside libraries: skills, packages. */
  readonly modules: readonly ModuleSource[];
  readonly limits: Limits & { readonly timeoutSeconds: number; readonly maxTimeoutSeconds: number };
  readonly maxTokens: number;
}

const refillDelayMs = 15;

/** How a run ended, before its output is fitted. */
interface Ending {
  readonly status: RunStatus;
  readonly value?: unknown;
  readonly error?: RunError;
}

export function createExecute(options: ExecuteOptions): Execute {
  const { journal } = options;
  return async (request) => {
    const timeoutSeconds = timeoutOf(request, options.limits);
    const servers = request.servers?.map((name) => options.libraries.server(name).name);
    const { language = "typescript" } = request;
    const source = stripFences(request.code);
    const run = createRunId();
    const tally = createTally();
    let ending: Ending = { status: "error", error: { message: "The run did not end" } };
    // An engine that cannot run here is told like any other end of a run.
    const choosing = options.toolchain(language, request.engine);
    const engine = await choosing.then(({ engine: { name } }) => name).catch(() => request.engine ?? "none");
    journal.startRun({ id: run, language, engine, code: source, client: request.client });
    try {
      const toolchain = await choosing;
      const sources = [...(request.modules ?? []), ...options.modules];
      const guest = {
        ...request,
        source,
        run,
        timeoutSeconds,
        toolchain,
        servers: servers && new Set(servers),
        sources,
      };
      ending = await runGuest(guest, tally, options);
    } catch (thrown) {
      ending = { status: "error", error: hostError(thrown) };
    } finally {
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
    return {
      status: ending.status,
      ...fitOutput(run, output, options.maxTokens, options.artifacts),
      ...(ending.error && { error: ending.error }),
      run,
      calls: { total: tally.total, failed: tally.failed },
    };
  };
}

interface GuestRun extends Omit<ExecuteRequest, "servers" | "modules"> {
  readonly source: string;
  readonly run: string;
  readonly toolchain: Toolchain;
  readonly timeoutSeconds: number;
  readonly servers: ReadonlySet<string> | undefined;
  readonly sources: readonly ModuleSource[];
}

interface Tally {
  stdout: string;
  stderr: string;
  total: number;
  failed: number;
}

function createTally(): Tally {
  return { stdout: "", stderr: "", total: 0, failed: 0 };
}

/** In a sandbox of its own that ends with the run, or in the one that its session keeps. */
function runGuest(guest: GuestRun, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const { toolchain, session: name } = guest;
  if (name === undefined) return runOnce(guest, tally, options);
  const key = { name, language: toolchain.language };
  return options.sessions.use(
    key,
    () => toolchain.pool.take(),
    (session) => runInSession(guest, session, tally, options),
  );
}

async function runOnce(guest: GuestRun, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const prepared = await prepare({ ...guest, kept: undefined }, options.libraries, options.imports);
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
  const prepared = await prepare({ ...guest, kept: session.kept, sources }, options.libraries, options.imports);
  if ("problems" in prepared) return checkFailed(guest, prepared.problems);
  const problems = guest.check === false ? [] : await prepared.check();
  if (problems.length > 0) return checkFailed(guest, problems);
  if (guest.dryRun) return { status: "ok" };
  const ending = await runProgram(guest, prepared, session.sandbox, tally, options);
  // What a run that failed has defined up to there is kept too.
  session.keep(prepared.compiled.declared);
  session.modules.keep(prepared.linked);
  if (!session.sandbox.ended || !ending.error) return ending;
  const gone = `The session "${guest.session}" ended with this run; all that it held is gone.`;
  return { ...ending, error: { ...ending.error, hint: [ending.error.hint, gone].filter(Boolean).join(" ") } };
}

async function runProgram(
  guest: GuestRun,
  { compiled, imported, linked }: Prepared,
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
    },
    createPorts(guest, tally, options),
    { timeoutMs: guest.timeoutSeconds * 1000, signal: guest.signal },
  );
  if (!guest.test || outcome.end !== "ok") {
    return endingOf(outcome, { compiled, linked }, limits, guest.timeoutSeconds);
  }
  const { text, ...ending } = readTestReport(outcome.value, { compiled, linked });
  tally.stdout += text;
  return ending;
}

function createPorts(guest: GuestRun, tally: Tally, options: ExecuteOptions): GuestPorts {
  const ports: GuestPorts = {
    async call({ server, tool, args }, signal) {
      tally.total++;
      guest.onProgress?.(`${tally.total} tool calls, ${server}.${tool}`);
      try {
        const { run, servers, tools } = guest;
        return await options.dispatch({ run, server, tool, args, servers, tools, signal });
      } catch (thrown) {
        tally.failed++;
        throw thrown;
      }
    },
    async operation(name, args, signal) {
      const callTool = async (server: string, tool: string, args: { [name: string]: unknown }): Promise<unknown> =>
        JSON.parse(await ports.call({ server, tool, args }, signal));
      const { client, servers, tools } = guest;
      const { language } = guest.toolchain;
      const session = guest.session === undefined ? undefined : { name: guest.session, language };
      const context = { signal, client, servers, tools, language, session, callTool };
      return JSON.stringify((await options.operations.call(name, args, context)) ?? null);
    },
    print(stream, text) {
      tally[stream] += text;
    },
  };
  return ports;
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

function checkFailed({ source, language }: GuestRun, problems: readonly Problem[]): Ending {
  const message = `Nothing has run. The code has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`;
  const hint = language === undefined && looksLikePython(source) ? 'For Python, pass language: "python".' : undefined;
  return {
    status: "check_failed",
    error: { message: `${message}\n${showProblems(source, problems)}`, problems, ...(hint && { hint }) },
  };
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
