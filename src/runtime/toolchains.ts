import { chmodSync, mkdirSync } from "node:fs";
import type { Engine, Language } from "../sandbox/engine.ts";
import { createPool, type Pool } from "../sandbox/pool.ts";
import { createSharedChecker } from "./checks/shared-checker.ts";
import type { Checker } from "./compiled.ts";
import type { Engines } from "./engines.ts";
import { giveBackMemory } from "./give-back-memory.ts";
import type { OwnModule } from "./own-module.ts";
import type { Toolchain } from "./toolchain.ts";

/** Toolchains by language and engine, each made when it is first needed. Without a run for a while, what waits for one is ended. */
export interface Toolchains {
  get(language: Language, engine?: string, environment?: string): Promise<Toolchain>;
  close(): Promise<void>;
}

/** For the checks; made when a language is first used, because that takes time. */
export type OwnModules = Readonly<Record<Language, () => OwnModule>>;

/** After this long without a run, the sandboxes and the compiler that wait for one are ended. */
const idleMs = 4 * 60_000;
/** Environments each have a pool of their own; those that nobody has used for the longest time end. */
const mostPools = 6;

export function createToolchains(engines: Engines, own: OwnModules, checkFolder: string): Toolchains {
  const pools = createPools();
  const parts = createLanguageParts(own, checkFolder);
  let isClosed = false;
  let idle: NodeJS.Timeout | undefined;
  const rest = async (): Promise<void> => {
    await Promise.all([pools.rest(), parts.checkers().then((all) => Promise.all(all.map((each) => each.stop())))]);
    await giveBackMemory();
  };
  return {
    async get(language, name, environmentName) {
      clearTimeout(idle);
      idle = setTimeout(() => void rest(), idleMs).unref();
      modulesOf[language]().catch(() => {}); // loads while the engine gets ready
      const { engine, environment } = await engines.choose(language, name, environmentName);
      const pool = pools.of(engine);
      const ofLanguage = await parts.of(engine);
      if (isClosed) await pool.close();
      return { language, engine, pool, ...ofLanguage, ...(environment && { environment }) };
    },
    async close() {
      isClosed = true;
      clearTimeout(idle);
      await pools.close();
      await Promise.all((await parts.checkers()).map((checker) => checker[Symbol.asyncDispose]()));
    },
  };
}

/** The pools of engines that were used of late. */
function createPools() {
  const pools = new Map<Engine, Pool>();
  const used = new Set<Engine>();
  /** Moves it behind the others, so that the first is the one to end. */
  const keep = (engine: Engine, pool: Pool): Pool => {
    pools.delete(engine);
    pools.set(engine, pool);
    const [oldest] = pools;
    if (pools.size > mostPools && oldest) {
      pools.delete(oldest[0]);
      void oldest[1].close().then(() => oldest[0].rest?.());
    }
    return pool;
  };
  return {
    of(engine: Engine): Pool {
      const known = pools.get(engine);
      if (known) return keep(engine, known);
      const pool = createPool(engine);
      used.add(engine);
      keep(engine, pool);
      pool.refill(); // its first run is on the way
      return pool;
    },
    async rest(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.drain()));
      await Promise.all([...pools.keys()].map((engine) => engine.rest?.()));
    },
    async close(): Promise<void> {
      await Promise.all([...pools.values()].map((pool) => pool.close()));
      await Promise.all([...used].map((engine) => engine.rest?.()));
    },
  };
}

/** What languages are read and checked with: one checker for all engines that run the same version. */
function createLanguageParts(own: OwnModules, checkFolder: string) {
  const known = new Map<string, Promise<LanguageParts>>();
  return {
    async of({ language, version: versionOf }: Engine): Promise<LanguageParts> {
      const version = await versionOf?.();
      const key = `${language} ${version ?? ""}`;
      const loading = known.get(key);
      if (loading) return loading;
      mkdirSync(checkFolder, { recursive: true, mode: 0o700 });
      chmodSync(checkFolder, 0o700); // a program is started from there
      const parts = loaders[language](own, checkFolder, version);
      known.set(key, parts);
      return parts;
    },
    async checkers(): Promise<Checker[]> {
      const parts = await Promise.allSettled(known.values());
      return parts.flatMap((part) => (part.status === "fulfilled" ? [part.value.checker] : []));
    },
  };
}

type LanguageParts = Pick<Toolchain, "compile" | "isStandard" | "missingModule"> & { readonly checker: Checker };
type Loader = (own: OwnModules, checkFolder: string, version: string | undefined) => Promise<LanguageParts>;

// Loaded with the first run of their language: parsers and compilers would double the time to start.
const modulesOf = {
  typescript: () =>
    Promise.all([
      import("./typescript/compile.ts"),
      import("./typescript/nesting.ts"),
      import("./typescript/checker.ts"),
      import("./typescript/missing-module.ts"),
    ]),
  python: () =>
    Promise.all([
      import("./python/compile.ts"),
      import("./python/standard-library.ts"),
      import("./python/checker.ts"),
      import("./python/missing-module.ts"),
    ]),
};

const loaders: Readonly<Record<Language, Loader>> = {
  async typescript(own) {
    const [{ compile, compileModule }, { nestingProblem }, { createTypeScriptChecker }, { missingScriptModule }] =
      await modulesOf.typescript();
    const { declarations, usageOf } = own.typescript();
    return {
      missingModule: missingScriptModule,
      async compile(source, options) {
        const problem = await nestingProblem(source);
        if (problem) return { problems: [problem] };
        return options.module ? compileModule(source) : compile(source, options);
      },
      isStandard: (specifier) => specifier.startsWith("node:"),
      checker: createSharedChecker(() => createTypeScriptChecker(declarations, usageOf)),
    };
  },
  async python(own, folder, version) {
    const [
      { compilePython, pythonNestingProblem },
      { standardModules },
      { createPythonChecker },
      { missingPythonModule },
    ] = await modulesOf.python();
    const { declarations: coordinatorStubs, usageOf } = own.python();
    return {
      missingModule: missingPythonModule,
      async compile(source) {
        const problem = pythonNestingProblem(source);
        return problem ? { problems: [problem] } : compilePython(source);
      },
      isStandard: (specifier) => standardModules().has(specifier.split(".")[0] ?? ""),
      checker: createSharedChecker(() =>
        createPythonChecker({
          coordinatorStubs,
          usageOf,
          folder,
          ...(version !== undefined && { pythonVersion: version }),
        }),
      ),
    };
  },
};
