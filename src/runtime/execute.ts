import type { Actor, Patience, Via } from "../actor.ts";
import { createDeparture, type Departure } from "../door/departure.ts";
import { createRunId } from "../door/run-id.ts";
import type { RunLog } from "../door/run-log.ts";
import { CoordinatorError, messageOf } from "../errors.ts";
import type { Language, Limits } from "../sandbox/engine.ts";
import { createMistakes, type Mistakes } from "./advice/repeated-mistakes.ts";
import type { RunRequest } from "./execute-request.ts";
import type { Observations } from "./libraries/observations.ts";
import type { ModuleSource } from "./modules/module-source.ts";
import type { Artifacts } from "./results/artifacts.ts";
import { mostPerToken } from "./results/cut.ts";
import { fitOutput } from "./results/output.ts";
import { createPrintout, type PrintedOutput } from "./results/printout.ts";
import { plainError, type RunError, type RunResult } from "./results/run-result.ts";
import type { Ending, Guest, RunGuestOptions } from "./run-guest.ts";
import { createGuestRun, type GuestRun } from "./runs/guest-run.ts";
import { createRefills, type Refills } from "./runs/refill-when-quiet.ts";
import type { RunPlace } from "./runs/run-place.ts";
import type { RunPlaces } from "./runs/run-places.ts";
import { askedByRun } from "./runs/run-questions.ts";
import type { RunsUnderWay } from "./runs/runs-under-way.ts";
import { type InstallMissing, installMissing } from "./runs/self-heal.ts";
import { stripFences } from "./source.ts";
import type { Toolchain } from "./toolchain.ts";

/** Runs guest code. Guest failures are values; it throws only for what the caller got wrong, or the host cannot do. */
export type Execute = (request: RunRequest, actor: Actor) => Promise<RunResult>;

export interface ExecuteOptions extends RunGuestOptions {
  readonly toolchain: (
    language: Language,
    engine: string | undefined,
    environment: string | undefined,
  ) => Promise<Toolchain>;
  readonly places: RunPlaces;
  readonly underWay: RunsUnderWay;
  readonly observations: Pick<Observations, "takeDrift">;
  readonly journal: RunLog;
  readonly artifacts: Artifacts;
  /** What is to be done before code runs: skills that it imports may have been edited. */
  readonly before: (code: string) => Promise<void>;
  /** Where its imports are found, beside libraries: skills, packages. */
  readonly modulesFor: (request: RunRequest) => readonly ModuleSource[];
  readonly limits: Limits & {
    readonly timeoutSeconds: number;
    readonly maxTimeoutSeconds: number;
    readonly storedMb: number;
  };
  readonly maxTokens: number;
  /** What a model reads for a result; its JSON where that is undefined. */
  readonly textOf?: ((result: unknown) => Promise<string | undefined>) | undefined;
  /** Whether what comes of runs is kept: somebody may ask for it again. */
  readonly keepsAnswers: () => boolean;
  /** What callers should know of what governs them, each once. */
  readonly news: () => readonly string[];
  /** Installs what a run lacks, so that it can run once more; absent when that is not wanted. */
  readonly install?: InstallMissing | undefined;
}

export function createExecute(options: ExecuteOptions): Execute {
  const { places, underWay } = options;
  const refills = createRefills();
  const mistakes = createMistakes();
  const execute = (how: Omit<Circumstances, "refills" | "mistakes">, request: RunRequest, actor: Actor) =>
    refills.during(() => executeIn({ ...how, refills, mistakes }, request, actor, options));
  const inPlace = async (departure: Departure<RunResult>, request: RunRequest, actor: Actor): Promise<RunResult> => {
    const place = await places.take(actor);
    try {
      await options.before(request.code);
      return await execute({ departure, place }, request, actor);
    } finally {
      place.leave();
    }
  };
  return async (request, asked) => {
    const departure = createDeparture<RunResult>(asked.signal);
    const actor = underWay.untilClose({ ...asked, signal: departure.signal });
    const place = undefined;
    const running = request.isTrial
      ? execute({ departure, place }, request, actor)
      : inPlace(departure, request, actor);
    underWay.track(running);
    return departure.first(running);
  };
}

/** What a run has about it. */
interface Circumstances {
  readonly departure: Departure<RunResult>;
  /** Its place among other runs, if it has one. */
  readonly place: RunPlace | undefined;
  readonly refills: Refills;
  readonly mistakes: Mistakes;
}

async function executeIn(
  { departure, place, refills, mistakes }: Circumstances,
  request: RunRequest,
  actor: Actor,
  options: ExecuteOptions,
): Promise<RunResult> {
  const { journal, limits, libraries, underWay } = options;
  const { language = "typescript" } = request;
  const timeoutSeconds = timeoutOf(request, limits);
  const servers = request.servers?.map((name) => libraries.server(name).name);
  const source = stripFences(request.code);
  const { storedMb } = limits;
  const id = createRunId();
  const printing = () =>
    createPrintout({ ...printoutLimits(options), begin: (name) => options.artifacts.begin(id, name) });
  const { onProgress } = actor;
  let undecided: CoordinatorError | undefined;
  const patience: Omit<Patience, "during"> = {
    get caller() {
      return departure.hasLeft ? undefined : actor.caller;
    },
    leave: (why) => departure.leave(waitingResult(run, why)),
    end(why) {
      undecided = why;
      departure.end(why);
    },
  };
  const run = createGuestRun({ id, language, place, storedMb, patience, createPrintout: printing, onProgress });
  // An engine that cannot run here is told like any other end of a run.
  const choose = () => options.toolchain(language, request.engine, request.environment);
  const choosing = choose();
  const engine = await choosing.then((chosen) => chosen.engine.name).catch(() => request.engine ?? "none");
  const via = viaOfGuest(actor);
  await journal.startRun({ id: run.id, language, engine, code: source, client: actor.client, via });
  const within = {
    ...actor,
    via,
    run,
    signal: underWay.begin(run.id, actor.signal),
    caller: actor.caller && askedByRun(actor.caller, run.timers, place),
    may: { servers: servers && new Set(servers), tools: request.tools },
  };
  const sources = [...(request.modules ?? []), ...options.modulesFor(request)];
  const guestIn = (toolchain: Toolchain): Guest => {
    const environment = toolchain.environment?.name;
    return { request, source, actor: { ...within, environment }, toolchain, timeoutSeconds, sources };
  };
  const { ending: ended, installed } = await endOf(guestIn, choosing, choose, options);
  const ending = undecided
    ? plain({ status: "needs_approval", error: hostError(undecided) })
    : await toldMore(ended, { actor, language }, mistakes, libraries);
  underWay.end(run.id);
  const printed = await run.printout.finish();
  const result = await resultOf({ run, source, printed }, ending, installed, options);
  const answer = departure.hasLeft || options.keepsAnswers() ? JSON.stringify(result) : undefined;
  await journal.finishRun(run.id, { ...finishOf(run, ending), answer });
  choosing.then(({ pool }) => refills.ask(pool)).catch(() => {});
  return result;
}

/** What whoever asked for a run gets that waits for a person. */
function waitingResult({ id, tally: { calls, failed } }: GuestRun, why: CoordinatorError): RunResult {
  return { status: "needs_approval", error: plainError(hostError(why)), run: id, calls: { total: calls, failed } };
}

/** What a guest does is code, whoever submitted it; a skill that is run, and the Playground, say so themselves. */
function viaOfGuest({ via = "code" }: Actor): Via {
  return via === "playground" || via.startsWith("skill:") ? via : "code";
}

/** Runs the guest; a second time when it only lacked what could be installed. */
async function endOf(
  guestIn: (toolchain: Toolchain) => Guest,
  choosing: Promise<Toolchain>,
  chooseAgain: () => Promise<Toolchain>,
  options: ExecuteOptions,
): Promise<{ readonly ending: Ending; readonly installed: readonly string[] }> {
  let installed: readonly string[] = [];
  try {
    // With the first run: it would be felt at the start.
    const { runGuest } = await import("./run-guest.ts");
    const guest = guestIn(await choosing);
    const ending = await runGuest(guest, options);
    const healed = options.install && (await installMissing(endedRun(guest, ending), options.install));
    installed = healed?.installed ?? [];
    if (!healed) return { ending: plain(ending), installed };
    if (healed.error) return { ending: plain({ status: ending.status, error: healed.error }), installed };
    await guest.actor.run.startAgain();
    return { ending: plain(await runGuest(guestIn(await chooseAgain()), options)), installed };
  } catch (thrown) {
    return { ending: plain({ status: "error", error: hostError(thrown) }), installed };
  }
}

/** A mistake that the client makes again is told with all that could help. */
async function toldMore(
  ending: Ending,
  { actor, language }: { readonly actor: Actor; readonly language: Language },
  mistakes: Mistakes,
  libraries: ExecuteOptions["libraries"],
): Promise<Ending> {
  const { error } = ending;
  if (!error || !mistakes.isRepeated(JSON.stringify([actor.principal, actor.caller?.id]), error)) return ending;
  const { fullerHint } = await import("./advice/fuller-hint.ts");
  const more = fullerHint(error, language, libraries);
  if (more === undefined) return ending;
  return { ...ending, error: plainError({ ...error, hint: [error.hint, more].filter(Boolean).join("\n") }) };
}

function plain(ending: Ending): Ending {
  return ending.error ? { ...ending, error: plainError(ending.error) } : ending;
}

/** As much is held as an answer can show. */
function printoutLimits({ maxTokens, limits }: ExecuteOptions) {
  return { held: Math.max(leastHeld, maxTokens * mostPerToken), mostBytes: limits.outputBytes };
}

const leastHeld = 1 << 16;

function finishOf({ tally, printout }: GuestRun, { status, error, value, parts }: Ending) {
  const ofValue = () => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)));
  return {
    status,
    error: error?.message,
    calls: tally.calls,
    resultBytes: parts ? printout.bytesOf("result") : ofValue(),
    stdoutBytes: printout.bytesOf("stdout"),
  };
}

async function resultOf(
  { run, source, printed }: { readonly run: GuestRun; readonly source: string; readonly printed: PrintedOutput },
  ending: Ending,
  installed: readonly string[],
  { observations, maxTokens, artifacts, textOf, news }: ExecuteOptions,
): Promise<RunResult> {
  const { id, language, tally } = run;
  const notices = [...run.notices, ...news()];
  const { calls, failed, suspect } = tally;
  const { value, parts } = ending;
  const { stdout, stderr, result: file } = printed;
  const output = { stdout, stderr, ...(value !== undefined && { result: { value, parts, file } }) };
  const drift = await observations.takeDrift(id);
  const fitted = await fitOutput({ run: id, language, source }, output, maxTokens, artifacts);
  const resultText = fitted.attached ? undefined : await textOf?.(fitted.result);
  return {
    status: ending.status,
    ...fitted,
    ...(resultText !== undefined && { resultText }),
    ...(ending.error && { error: ending.error }),
    ...(ending.session !== undefined && { session: ending.session }),
    ...(installed.length > 0 && { installed }),
    ...(drift.length > 0 && { drift }),
    ...(notices.length > 0 && { notices }),
    run: id,
    calls: { total: calls, failed, ...(suspect > 0 && { suspect }) },
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
