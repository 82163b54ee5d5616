import type { Library } from "../catalog/tool.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { GuestLibrary, GuestPorts, Language, Limits, Outcome } from "../sandbox/engine.ts";
import type { Pool } from "../sandbox/pool.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { Journal } from "../store/journal.ts";
import type { Checker } from "./checker.ts";
import { type Compiled, compile } from "./compile.ts";
import type { Dispatch } from "./dispatch.ts";
import { explainOutcome } from "./explain-outcome.ts";
import type { Libraries } from "./libraries.ts";
import { fitOutput } from "./output.ts";
import { type Problem, showProblems } from "./problem.ts";
import { createRunId } from "./run-id.ts";
import type { RunError, RunResult, RunStatus } from "./run-result.ts";
import { stripFences } from "./source.ts";

export interface ExecuteRequest {
  readonly code: string;
  readonly language?: Language | undefined;
  /** The servers that the guest may use; all when absent. */
  readonly servers?: readonly string[] | undefined;
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
  readonly names: readonly string[];
  call(name: string, args: unknown, context: GuestContext): Promise<unknown>;
};

/** What an operation may do on behalf of a run. */
interface GuestContext {
  readonly signal: AbortSignal;
  readonly client: string | undefined;
  callTool(server: string, tool: string, args: Record<string, unknown>): Promise<unknown>;
}

export interface ExecuteOptions {
  readonly engineName: string;
  readonly pool: Pool;
  readonly checker: Checker;
  readonly libraries: Libraries;
  readonly dispatch: Dispatch;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly operations: GuestOperations;
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
  const { journal, pool } = options;
  return async (request) => {
    const timeoutSeconds = timeoutOf(request, options.limits);
    const servers = request.servers?.map((name) => options.libraries.server(name).name);
    const source = stripFences(request.code);
    const run = createRunId();
    const tally = createTally();
    journal.startRun({
      id: run,
      language: "typescript",
      engine: options.engineName,
      code: source,
      client: request.client,
    });
    let ending: Ending = { status: "error", error: { message: "The run did not end" } };
    try {
      ending = await runGuest(
        { ...request, source, run, timeoutSeconds, servers: servers && new Set(servers) },
        tally,
        options,
      );
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
      setTimeout(() => pool.refill(), refillDelayMs).unref();
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

interface GuestRun extends Omit<ExecuteRequest, "servers"> {
  readonly source: string;
  readonly run: string;
  readonly timeoutSeconds: number;
  readonly servers: ReadonlySet<string> | undefined;
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

async function runGuest(guest: GuestRun, tally: Tally, options: ExecuteOptions): Promise<Ending> {
  const compiled = compile(guest.source);
  if ("problems" in compiled) return checkFailed(guest.source, compiled.problems);
  const found = await findLibraries(compiled, guest, options.libraries);
  if ("problems" in found) return checkFailed(guest.source, found.problems);

  // The sandbox is taken while the check goes on; it gets the code only when that has passed.
  const taking = guest.dryRun ? undefined : options.pool.take();
  taking?.catch(() => {});
  const problems = guest.check === false ? [] : await options.checker.check(guest.source, found.libraries);
  if (problems.length > 0 || !taking) {
    void taking?.then((sandbox) => sandbox.kill());
    return problems.length > 0 ? checkFailed(guest.source, problems) : { status: "ok" };
  }
  const sandbox = await taking;
  const outcome = await sandbox.run(
    { code: compiled.code, libraries: found.imported, operations: options.operations.names },
    createPorts(guest, tally, options),
    { timeoutMs: guest.timeoutSeconds * 1000, signal: guest.signal },
  );
  sandbox.kill();
  return endingOf(outcome, compiled, options.limits, guest.timeoutSeconds);
}

/** The libraries that the guest imports, asked for if need be, among all that it could. */
async function findLibraries({ specifiers }: Compiled, guest: GuestRun, libraries: Libraries) {
  const reachable = libraries.modules.filter(({ name }) => guest.servers?.has(name) ?? true);
  const wanted = reachable.filter(({ module }) => specifiers.includes(`mcp_tools/${module}`));
  const problems: Problem[] = [];
  const imported: GuestLibrary[] = [];
  const loaded = new Map<string, Library>();
  for (const { name, module } of wanted) {
    try {
      const { library } = await libraries.get(name);
      loaded.set(module, library);
      imported.push({
        server: name,
        module,
        tools: library.tools.map((tool) => [tool.identifier, tool.name] as const),
      });
    } catch (thrown) {
      const line = guest.source.split("\n").findIndex((text) => text.includes(`mcp_tools/${module}`)) + 1;
      problems.push({ line: Math.max(1, line), column: 1, message: messageOf(thrown) });
    }
  }
  if (problems.length > 0) return { problems };
  // The others are there by name only: enough for "did you mean".
  const named = reachable.map(({ name, module }) => {
    return loaded.get(module) ?? { server: name, module, description: "", tools: [] };
  });
  return { libraries: named, imported };
}

function createPorts(guest: GuestRun, tally: Tally, options: ExecuteOptions): GuestPorts {
  const ports: GuestPorts = {
    async call({ server, tool, args }, signal) {
      tally.total++;
      guest.onProgress?.(`${tally.total} tool calls, ${server}.${tool}`);
      try {
        return await options.dispatch({ run: guest.run, server, tool, args, servers: guest.servers, signal });
      } catch (thrown) {
        tally.failed++;
        throw thrown;
      }
    },
    async operation(name, args, signal) {
      const callTool = async (server: string, tool: string, args: { [name: string]: unknown }): Promise<unknown> =>
        JSON.parse(await ports.call({ server, tool, args }, signal));
      const context = { signal, client: guest.client, callTool };
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
  compiled: Compiled,
  limits: ExecuteOptions["limits"],
  timeoutSeconds: number,
): Ending {
  if (outcome.end === "ok") return { status: "ok", ...(Object.hasOwn(outcome, "value") && { value: outcome.value }) };
  return explainOutcome(outcome, compiled, limits, timeoutSeconds);
}

function checkFailed(source: string, problems: readonly Problem[]): Ending {
  const message = `Nothing has run. The code has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`;
  return { status: "check_failed", error: { message: `${message}\n${showProblems(source, problems)}`, problems } };
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
