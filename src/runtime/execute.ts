import type { Actor } from "../actor.ts";
import type { RunLog } from "../door/as-run.ts";
import { createRunId } from "../door/run-id.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { Language, Limits } from "../sandbox/engine.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { RunRequest } from "./execute-request.ts";
import type { Observations } from "./libraries/observations.ts";
import type { ModuleSource } from "./modules/module-source.ts";
import { fitOutput } from "./results/output.ts";
import { plainError, type RunError, type RunResult } from "./results/run-result.ts";
import { type Ending, type Guest, type RunGuestOptions, runGuest } from "./run-guest.ts";
import { createGuestRun, type GuestRun } from "./runs/guest-run.ts";
import type { RunPlace } from "./runs/run-place.ts";
import { askedByRun } from "./runs/run-questions.ts";
import type { RunsUnderWay } from "./runs/runs-under-way.ts";
import { type InstallMissing, installMissing } from "./runs/self-heal.ts";
import { stripFences } from "./source.ts";
import type { Toolchain } from "./toolchain.ts";

/** Runs guest code. Guest failures are values; it throws only for what the caller got wrong, or the host cannot do. */
export type Execute = (request: RunRequest, actor: Actor) => Promise<RunResult>;

/** The same for a run that has a place among others. */
export type ExecuteInPlace = (request: RunRequest, actor: Actor, place?: RunPlace) => Promise<RunResult>;

export interface ExecuteOptions extends RunGuestOptions {
  readonly toolchain: (
    language: Language,
    engine: string | undefined,
    environment: string | undefined,
  ) => Promise<Toolchain>;
  readonly underWay: RunsUnderWay;
  readonly observations: Pick<Observations, "takeDrift">;
  readonly journal: RunLog;
  readonly artifacts: Artifacts;
  /** Where the imports of every run are found, beside libraries: skills, packages. */
  readonly modules: readonly ModuleSource[];
  readonly limits: Limits & {
    readonly timeoutSeconds: number;
    readonly maxTimeoutSeconds: number;
    readonly storedMb: number;
  };
  readonly maxTokens: number;
  /** Installs what a run lacks, so that it can run once more; absent when that is not wanted. */
  readonly install?: InstallMissing | undefined;
}

const refillDelayMs = 15;

export function createExecute(options: ExecuteOptions): ExecuteInPlace {
  const { journal, limits } = options;
  return async (request, actor, place) => {
    const timeoutSeconds = timeoutOf(request, limits);
    const servers = request.servers?.map((name) => options.libraries.server(name).name);
    const { language = "typescript" } = request;
    const source = stripFences(request.code);
    const { onProgress } = actor;
    const run = createGuestRun({ id: createRunId(), language, place, storedMb: limits.storedMb, onProgress });
    // An engine that cannot run here is told like any other end of a run.
    const choose = () => options.toolchain(language, request.engine, request.environment);
    const choosing = choose();
    const engine = await choosing.then((chosen) => chosen.engine.name).catch(() => request.engine ?? "none");
    journal.startRun({ id: run.id, language, engine, code: source, client: actor.client });
    const within = {
      ...actor,
      run,
      signal: options.underWay.begin(run.id, actor.signal),
      caller: actor.caller && askedByRun(actor.caller, run.pauses, place),
      may: { servers: servers && new Set(servers), tools: request.tools },
    };
    const sources = [...(request.modules ?? []), ...options.modules];
    let ending: Ending = { status: "error", error: { message: "The run did not end" } };
    let installed: readonly string[] = [];
    try {
      const guestOf = (toolchain: Toolchain): Guest => {
        const environment = toolchain.environment?.name;
        return { request, source, actor: { ...within, environment }, toolchain, timeoutSeconds, sources };
      };
      const guest = guestOf(await choosing);
      ending = await runGuest(guest, options);
      const healed = options.install && (await installMissing(endedRun(guest, ending), options.install));
      if (healed?.error) ending = { status: ending.status, error: healed.error };
      installed = healed?.installed ?? [];
      if (healed && !healed.error) {
        run.startAgain();
        ending = await runGuest(guestOf(await choose()), options);
      }
    } catch (thrown) {
      ending = { status: "error", error: hostError(thrown) };
    } finally {
      if (ending.error) ending = { ...ending, error: plainError(ending.error) };
      options.underWay.end(run.id);
      journal.finishRun(run.id, finishOf(run, ending));
      // Starting processes takes milliseconds of this thread: the answer goes first.
      setTimeout(() => void choosing.then(({ pool }) => pool.refill()).catch(() => {}), refillDelayMs).unref();
    }
    return resultOf(run, source, ending, installed, options);
  };
}

function finishOf({ tally }: GuestRun, { status, error, value }: Ending) {
  return {
    status,
    error: error?.message,
    calls: tally.calls,
    resultBytes: value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)),
    stdoutBytes: Buffer.byteLength(tally.stdout),
  };
}

function resultOf(
  { id, language, tally }: GuestRun,
  source: string,
  ending: Ending,
  installed: readonly string[],
  { observations, maxTokens, artifacts }: ExecuteOptions,
): RunResult {
  const { stdout, stderr, calls, failed } = tally;
  const output = { stdout, stderr, ...(ending.value !== undefined && { result: ending.value }) };
  const drift = observations.takeDrift(id);
  return {
    status: ending.status,
    ...fitOutput({ run: id, language, source }, output, maxTokens, artifacts),
    ...(ending.error && { error: ending.error }),
    ...(ending.session !== undefined && { session: ending.session }),
    ...(installed.length > 0 && { installed }),
    ...(drift.length > 0 && { drift }),
    run: id,
    calls: { total: calls, failed },
  };
}

function endedRun({ request, actor, toolchain }: Guest, { status, error }: Ending) {
  const { language, engine } = toolchain;
  const { environment, session, dryRun } = request;
  const { calls, otherActs } = actor.run.tally;
  const done = { status, error, toolCalls: calls, otherActs };
  return { language, engine, environment, session, dryRun, actor, ...done };
}

function hostError(thrown: unknown): RunError {
  if (!(thrown instanceof CoordinatorError)) return { message: messageOf(thrown) };
  return { message: thrown.message, code: thrown.code, ...(thrown.hint !== undefined && { hint: thrown.hint }) };
}

function timeoutOf({ timeoutSeconds }: RunRequest, limits: ExecuteOptions["limits"]): number {
  if (timeoutSeconds === undefined) return limits.timeoutSeconds;
  if (timeoutSeconds > 0 && timeoutSeconds <= limits.maxTimeoutSeconds) return timeoutSeconds;
  throw new CoordinatorError("input_invalid", `The timeout of ${timeoutSeconds} seconds is out of range`, {
    hint: `Ask for more than 0 and at most ${limits.maxTimeoutSeconds} (coordinator.sandbox.limits.maxTimeoutSeconds).`,
  });
}
