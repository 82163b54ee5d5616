import type { Actor } from "../actor.ts";
import type { GuestError, ImportPolicy, Limits, Outcome, ResultParts, Sandbox } from "../sandbox/engine.ts";
import { nameTools } from "./advice/name-tools.ts";
import { otherLanguage } from "./advice/other-language.ts";
import { type Problem, showProblems } from "./checks/problem.ts";
import type { Dispatch } from "./dispatch.ts";
import type { RunRequest } from "./execute-request.ts";
import { createGuestPorts, type GuestOperations } from "./guest-ports.ts";
import type { Libraries } from "./libraries/libraries.ts";
import { guestModules } from "./modules/link-modules.ts";
import {
  type EnvironmentsWith,
  eachPackageOnce,
  howToGet,
  missingPackageError,
  missingPackages,
} from "./modules/missing-packages.ts";
import type { ModuleSource } from "./modules/module-source.ts";
import { type Prepared, prepareGuest } from "./prepare-guest.ts";
import { explainOutcome } from "./results/explain-outcome.ts";
import type { RunError, RunStatus } from "./results/run-result.ts";
import { readTestReport } from "./results/test-report.ts";
import type { GuestRun } from "./runs/guest-run.ts";
import { ownerOf, type Session, type Sessions } from "./sessions.ts";
import type { Toolchain } from "./toolchain.ts";

/** How a run ended, before its output is fitted. */
export interface Ending {
  readonly status: RunStatus;
  readonly value?: unknown;
  /** The value is only the start of a longer one. */
  readonly parts?: ResultParts | undefined;
  readonly error?: RunError;
  /** What later runs call the session, where that is not what this one called it. */
  readonly session?: string;
}

/** A guest that is about to run. */
export interface Guest {
  readonly request: RunRequest;
  /** The code, without what stands around it. */
  readonly source: string;
  readonly actor: Actor & { readonly run: GuestRun; readonly signal: AbortSignal };
  readonly toolchain: Toolchain;
  readonly timeoutSeconds: number;
  readonly sources: readonly ModuleSource[];
}

export interface RunGuestOptions {
  readonly sessions: Sessions;
  readonly libraries: Libraries;
  readonly dispatch: Dispatch;
  /** Our operations that guests may call. */
  readonly operations: () => GuestOperations;
  readonly imports: ImportPolicy;
  /** Hosts that guests may reach. */
  readonly hosts: readonly string[];
  readonly limits: Limits;
  readonly environmentsWith: EnvironmentsWith;
}

/** In a sandbox of its own that ends with the run, or in the one that its session keeps. */
export function runGuest(guest: Guest, options: RunGuestOptions): Promise<Ending> {
  const { toolchain, actor, request } = guest;
  const { session: name } = request;
  if (name === undefined) return runOnce(guest, options);
  const { place } = actor.run;
  // The run before it may wait for a place itself.
  const waiting = async (turn: Promise<unknown>): Promise<void> => {
    await (place ? place.aside(() => turn) : turn);
    await place?.back;
  };
  const key = { owner: ownerOf(actor), name, language: toolchain.language };
  const work = async (session: Session): Promise<Ending> => {
    const within = { ...actor, session: { ...key, name: session.name }, earlierRuns: session.runs };
    session.begin(actor.run.id);
    const ending = await runInSession({ ...guest, actor: within }, session, options);
    return session.lasts && session.name !== name ? { ...ending, session: session.name } : ending;
  };
  const where = { ...key, environment: toolchain.environment?.name };
  const how = { waiting, run: actor.run.id, left: actor.run.left };
  return options.sessions.use(where, () => toolchain.pool.take(), work, how);
}

async function runOnce(guest: Guest, options: RunGuestOptions): Promise<Ending> {
  const { request, toolchain } = guest;
  const prepared = await prepareGuest({ ...toPrepare(guest), limited: [] }, options.libraries, options.imports);
  if ("problems" in prepared) return checkFailed(guest, prepared.problems, options);
  // The sandbox is taken while the check goes on; it gets the code only when that has passed.
  const taking = request.dryRun ? undefined : toolchain.pool.take();
  taking?.catch(() => {});
  try {
    const problems = request.check === false ? [] : await prepared.check();
    if (problems.length > 0) return checkFailed(guest, problems, options);
    if (!taking) return { status: "ok" };
    return await runProgram(guest, prepared, await taking, options);
  } finally {
    taking?.then((sandbox) => sandbox.kill()).catch(() => {}); // one that did not start has been reported
  }
}

async function runInSession(guest: Guest, session: Session, options: RunGuestOptions): Promise<Ending> {
  const { request } = guest;
  const { kept, modules } = session;
  const code = toPrepare({ ...guest, sources: [...guest.sources, session.modules] });
  const prepared = await prepareGuest({ ...code, kept, limited: modules.limited }, options.libraries, options.imports);
  if ("problems" in prepared) return checkFailed(guest, prepared.problems, options);
  const problems = request.check === false ? [] : await prepared.check();
  if (problems.length > 0) return checkFailed(guest, problems, options);
  if (request.dryRun) return { status: "ok" };
  // Before it runs: whatever becomes of it, their code has been in the process.
  modules.keep(prepared.linked);
  const ending = await runProgram(guest, prepared, session.sandbox, options);
  // What a run that failed has defined up to there is kept too.
  session.keep(prepared.compiled.declared);
  if (!session.sandbox.ended || !ending.error) return ending;
  const gone = `The session "${session.name}" ended with this run; all that it held is gone.`;
  return { ...ending, error: { ...ending.error, hint: [ending.error.hint, gone].filter(Boolean).join(" ") } };
}

function toPrepare({ source, toolchain, sources, actor }: Guest) {
  return { source, toolchain, sources, actor, reach: actor.may ?? {}, kept: undefined };
}

async function runProgram(
  guest: Guest,
  { compiled, imported, linked, reach }: Prepared,
  sandbox: Sandbox,
  options: RunGuestOptions,
): Promise<Ending> {
  const { request, actor, toolchain, timeoutSeconds } = guest;
  const { run, signal } = actor;
  const operations = options.operations();
  const outcome = await sandbox.run(
    {
      code: compiled.code,
      libraries: imported,
      modules: guestModules(linked),
      links: linked.links,
      operations: operations.offered,
      hosts: options.hosts,
      imports: options.imports,
      argv: request.argv,
      test: request.test,
      ...(toolchain.environment && { variables: toolchain.environment.variables }),
    },
    createGuestPorts({ ...actor, may: reach }, { dispatch: options.dispatch, operations }),
    { timeoutMs: timeoutSeconds * 1000, signal, timers: run.timers },
  );
  if (request.test && outcome.end === "ok") {
    const { text, ...report } = readTestReport(outcome.value, { compiled, linked });
    await run.printout.print("stdout", text);
    return report;
  }
  const ending = endingOf(outcome, { compiled, linked }, options.limits, timeoutSeconds);
  return outcome.end === "error" ? withMissingModule(ending, outcome.error, guest, options) : ending;
}

async function withMissingModule(
  ending: Ending,
  failure: GuestError,
  guest: Guest,
  { environmentsWith }: RunGuestOptions,
): Promise<Ending> {
  const found = guest.toolchain.missingModule(failure);
  if (!found || !ending.error) return ending;
  if (!("missing" in found)) return { ...ending, error: { ...ending.error, hint: found.hint } };
  const { module } = found.missing;
  // What comes with a program is found in its text, before it runs.
  const told = (await isFound(module, guest.sources))
    ? { hint: `"${module}" is there: import it by its name, written out in the code.` }
    : await missingPackageError([found.missing], guest.toolchain, environmentsWith);
  return { ...ending, error: { ...ending.error, ...told } };
}

async function isFound(module: string, sources: readonly ModuleSource[]): Promise<boolean> {
  const find = async (source: ModuleSource) => source.find(module, undefined);
  for (const source of sources) if (await find(source).catch(() => undefined)) return true;
  return false;
}

function endingOf(
  outcome: Outcome,
  program: Pick<Prepared, "compiled" | "linked">,
  limits: Limits,
  timeoutSeconds: number,
): Ending {
  if (outcome.end === "ok") {
    return { status: "ok", ...(Object.hasOwn(outcome, "value") && { value: outcome.value, parts: outcome.parts }) };
  }
  return explainOutcome(outcome, program, limits, timeoutSeconds);
}

async function checkFailed(guest: Guest, found: readonly Problem[], options: RunGuestOptions): Promise<Ending> {
  const { source, toolchain } = guest;
  const { language } = toolchain;
  const reach = { language, servers: guest.actor.may?.servers };
  const problems = await nameTools(eachPackageOnce(found), reach, options.libraries);
  const message = `Nothing has run. The code has ${problems.length === 1 ? "a problem" : `${problems.length} problems`}:`;
  const error = { message: `${message}\n${showProblems(source, problems)}`, problems };
  const other = await otherLanguage(language, source, problems);
  if (other) return { status: "check_failed", error: { ...error, hint: other } };
  const missing = missingPackages(problems);
  if (missing.length > 0) {
    const packages = await missingPackageError(missing, toolchain, options.environmentsWith);
    return { status: "check_failed", error: { ...error, ...packages } };
  }
  const lacking = problems.flatMap((problem) => problem.missing ?? problem.meant ?? []);
  if (lacking.length === 0) return { status: "check_failed", error };
  return {
    status: "check_failed",
    error: { ...error, hint: await howToGet(lacking, toolchain, options.environmentsWith) },
  };
}
