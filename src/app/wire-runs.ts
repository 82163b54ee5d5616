import { setMaxListeners } from "node:events";
import type { Actor } from "../actor.ts";
import type { Config } from "../config/load.ts";
import { coordinatorDeclarations, pythonCoordinatorStubs } from "../operations/coordinator-module.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { createEngines } from "../runtime/engines.ts";
import type { ExecuteInPlace } from "../runtime/execute.ts";
import { inTurn } from "../runtime/runs/in-turn.ts";
import { createRunsUnderWay } from "../runtime/runs/runs-under-way.ts";
import { createSessions } from "../runtime/sessions.ts";
import { createToolchains, type Toolchains } from "../runtime/toolchains.ts";
import type { Language } from "../sandbox/engine.ts";
import { createMirror } from "../skills/mirror.ts";
import { createSkillBook } from "../skills/skill-book.ts";
import { findProgram } from "./find-program.ts";
import { guestOperations } from "./guest-operations.ts";
import type { Packages } from "./wire-packages.ts";
import type { Reached } from "./wire-servers.ts";
import type { Kept } from "./wire-store.ts";

interface RunParts {
  readonly config: Config;
  readonly cacheFolder: string;
  readonly kept: Kept;
  readonly reached: Reached;
  readonly packages: Packages;
  /** What guests may call; asked for when the first of them runs. */
  readonly operations: () => readonly AnyOperation[];
}

/** Runs of guests: their engines, sessions and skills. */
export function wireRuns(parts: RunParts) {
  const { config, cacheFolder, kept, reached, packages } = parts;
  const { environments } = packages;
  const engines = createEngines(config.sandbox, findProgram, cacheFolder, {
    environments,
    usual: config.packages.environment,
  });
  const sessions = createSessions({ isShared: config.sessions === "shared" });
  const underWay = createRunsUnderWay();
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener for each run under way
  const untilStop = (actor: Actor): Actor => {
    const signal = actor.signal ? AbortSignal.any([stop.signal, actor.signal]) : stop.signal;
    return { ...actor, signal };
  };

  let made: Toolchains | undefined;
  const toolchains = (): Toolchains => {
    made ??= createToolchains(engines, declarationsOf(parts.operations()), cacheFolder);
    return made;
  };
  let loading: Promise<ExecuteInPlace> | undefined;
  const load = (): Promise<ExecuteInPlace> => {
    loading ??= loadExecute({ ...parts, sessions, underWay, toolchains: toolchains(), modules: [skills.modules] });
    return loading;
  };
  const execute: ExecuteInPlace = async (request, actor, place) => {
    const run = await load();
    const modules = [...(request.modules ?? []), ...packages.modulesFor(request)];
    return run({ ...request, modules }, untilStop(actor), place);
  };
  const { libraries, door } = reached;
  const mirror = createMirror(config.skills.folder);
  const skills = createSkillBook({ store: kept.store.skills, mirror, libraries, execute, door });
  // Not those that a run itself makes, of a skill's tests: they would wait for the turn that their run has.
  const executeInTurn = inTurn(async (request, actor, place) => {
    await skills.edits.takeFor(request.code);
    return execute(request, actor, place);
  }, config.sandbox.limits.parallelRuns);

  return {
    engines,
    sessions,
    underWay,
    skills,
    execute: (...[request, actor]: Parameters<typeof executeInTurn>) => executeInTurn(request, untilStop(actor)),
    /** Starts what the first run of a language would wait for. */
    async warmUp(language: Language): Promise<void> {
      const [{ pool, checker }] = await Promise.all([toolchains().get(language), load()]);
      pool.refill();
      await checker.check("", []);
    },
    async close(): Promise<void> {
      skills.edits.close();
      stop.abort();
      sessions.close();
      await toolchains().close();
    },
  };
}

/** Loaded with the first run: it would be felt at the start. */
async function loadExecute({
  config,
  kept,
  reached,
  packages,
  operations,
  toolchains,
  ...more
}: RunParts & Loaded): Promise<ExecuteInPlace> {
  const { createExecute } = await import("../runtime/execute.ts");
  const { limits, imports } = config.sandbox;
  return createExecute({
    ...more,
    ...reached,
    toolchain: toolchains.get,
    journal: kept.store.journal,
    artifacts: kept.artifacts,
    limits,
    imports,
    maxTokens: config.output.maxTokens,
    install: packages.installMissing,
    operations: guestOperations(operations()),
  });
}

interface Loaded {
  readonly sessions: ReturnType<typeof createSessions>;
  readonly underWay: ReturnType<typeof createRunsUnderWay>;
  readonly toolchains: Toolchains;
  readonly modules: readonly ReturnType<typeof createSkillBook>["modules"][];
}

function declarationsOf(operations: readonly AnyOperation[]) {
  return { typescript: coordinatorDeclarations(operations), python: pythonCoordinatorStubs(operations) };
}
