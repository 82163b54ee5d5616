import type { Config } from "../config/load.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import { coordinatorDeclarations, pythonCoordinatorStubs } from "../operations/coordinator-module.ts";
import type { ApiFunction } from "../operations/guest-api.ts";
import type { AnyOperation } from "../operations/operation.ts";
import { createPolicyNews } from "../operations/policy/policy-news.ts";
import { createEngines } from "../runtime/engines.ts";
import { createExecute } from "../runtime/execute.ts";
import type { GuestOperations } from "../runtime/guest-ports.ts";
import { createRunPlaces } from "../runtime/runs/run-places.ts";
import { createRunsUnderWay } from "../runtime/runs/runs-under-way.ts";
import { createSessions } from "../runtime/sessions.ts";
import { createToolchains } from "../runtime/toolchains.ts";
import type { Language } from "../sandbox/engine.ts";
import { createMirror } from "../skills/mirror.ts";
import { createSkillBook } from "../skills/skill-book.ts";
import { findProgram } from "./find-program.ts";
import { guestOperations } from "./guest-operations.ts";
import type { WiredPackages } from "./wire-packages.ts";
import type { WiredServers } from "./wire-servers.ts";
import type { WiredStore } from "./wire-store.ts";

interface RunParts {
  readonly config: Config;
  readonly policy: Pick<PolicyInForce, "policy" | "problem">;
  readonly cacheFolder: string;
  readonly kept: WiredStore;
  readonly reached: WiredServers;
  readonly packages: WiredPackages;
  /** What guests may call; asked for when the first of them runs. */
  readonly operations: () => readonly AnyOperation[];
  /** The same, as guests read it. */
  readonly api: () => readonly ApiFunction[];
}

/** Runs of guests: their engines, sessions and skills. */
export function wireRuns({ config, policy, cacheFolder, kept, reached, packages, operations, api }: RunParts) {
  const { sandbox } = config;
  const engines = createEngines(sandbox, findProgram, cacheFolder, {
    environments: packages.environments,
    usual: config.packages.environment,
  });
  const sessions = createSessions({ isShared: config.sessions === "shared" });
  const underWay = createRunsUnderWay();
  const usageIn = (language: Language) => (name: string) =>
    api()
      .find((one) => one.name === name)
      ?.usage(language);
  const own = {
    typescript: () => ({ declarations: coordinatorDeclarations(operations()), usageOf: usageIn("typescript") }),
    python: () => ({ declarations: pythonCoordinatorStubs(operations()), usageOf: usageIn("python") }),
  };
  const toolchains = createToolchains(engines, own, cacheFolder);
  let offered: GuestOperations | undefined;
  const execute = createExecute({
    ...reached,
    sessions,
    underWay,
    places: createRunPlaces(sandbox.limits.parallelRuns),
    toolchain: toolchains.get,
    journal: kept.store.journal,
    artifacts: kept.artifacts,
    before: (code) => skills.edits.takeFor(code),
    modulesFor: (request) => [...packages.modulesFor(request), skills.modules],
    limits: {
      ...sandbox.limits,
      outputBytes: Math.min(sandbox.limits.outputBytes, config.artifacts.maxMb * 1_000_000),
    },
    imports: sandbox.imports,
    hosts: sandbox.network.allow,
    maxTokens: config.output.maxTokens,
    textOf:
      config.output.format === "toon"
        ? async (result) => (await import("../runtime/results/toon.ts")).toonOf(result)
        : undefined,
    keepsAnswers: () => policy.policy.canAsk || config.toolsets.includes("runs"),
    news: createPolicyNews(policy),
    install: packages.installMissing,
    environmentsWith: packages.environmentsWith,
    operations() {
      offered ??= guestOperations(operations(), api);
      return offered;
    },
  });
  const { libraries, door } = reached;
  const mirror = createMirror(config.skills.folder);
  const skills = createSkillBook({ store: kept.store.skills, mirror, libraries, execute, door });

  return {
    engines,
    sessions,
    underWay,
    skills,
    execute,
    /** Starts what the first run of a language would wait for. */
    async warmUp(language: Language): Promise<void> {
      const [{ pool, checker }] = await Promise.all([toolchains.get(language), import("../runtime/run-guest.ts")]);
      pool.refill();
      await checker.check("", []);
    },
    async close(): Promise<void> {
      skills.edits.close();
      const ended = underWay.close();
      sessions.close();
      await ended;
      await toolchains.close();
    },
  };
}
