import { join } from "node:path";
import type { Sandbox as SandboxSettings } from "../config/schema.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import type { Environment, Environments } from "../packages/environments.ts";
import { checkInterpreter, minorOf, packageFolder } from "../packages/python/installer.ts";
import { createContainerEngine } from "../sandbox/container/engine.ts";
import { createCPythonEngine } from "../sandbox/cpython/engine.ts";
import { createDenoEngine } from "../sandbox/deno/engine.ts";
import type { Engine, Language } from "../sandbox/engine.ts";
import { createPyodideEngine } from "../sandbox/pyodide/engine.ts";
import { isAlive, thisProcess } from "../system/owner.ts";

/** The engines that this version has, for each language the preferred one first. */
export interface Engines {
  readonly all: readonly Engine[];
  /**
   * The engine of that name, or the configured one; `auto` is the first that works here. In an environment, named or
   * the usual one where that exists, it has the environment's packages. Throws when it has to refuse.
   */
  choose(language: Language, name?: string, environment?: string): Promise<ChosenEngine>;
}

interface ChosenEngine {
  readonly engine: Engine;
  /** Why `auto` did not take the preferred engine. */
  readonly instead?: string;
  readonly environment?: Environment;
}

export interface UsedEnvironments {
  readonly environments: Environments;
  /** The name of the environment of those who name none. */
  readonly usual: string;
}

export function createEngines(
  settings: SandboxSettings,
  findProgram: (name: string) => string | undefined,
  cacheFolder: string,
  { environments, usual }: UsedEnvironments,
): Engines {
  const { limits, isolation, container } = settings;
  const options = { limits, isolation, findProgram };
  const cpythonOptions = { ...options, memory: join(cacheFolder, "interpreters") };
  const containerOptions = { ...options, ...container, owner: thisProcess(), isAlive };
  const all: readonly Engine[] = [
    createDenoEngine(options),
    createCPythonEngine(cpythonOptions),
    createPyodideEngine(options),
    createContainerEngine({ ...containerOptions, language: "typescript" }),
    createContainerEngine({ ...containerOptions, language: "python" }),
  ];
  const automatic: Readonly<Record<Language, readonly string[]>> = {
    typescript: ["deno"],
    python: ["cpython", "pyodide"],
  };
  const find = (language: Language, name: string): Engine => {
    const engine = all.find((known) => known.language === language && known.name === name);
    if (engine) return engine;
    const names = all.filter((known) => known.language === language).map((known) => known.name);
    throw new CoordinatorError("engine_unavailable", `There is no engine "${name}" for ${language}`, {
      hint: `Choose one of: auto, ${names.join(", ")}.`,
    });
  };
  const firstThatWorks = async (language: Language): Promise<ChosenEngine> => {
    let refusal: unknown;
    for (const name of automatic[language]) {
      const engine = find(language, name);
      try {
        await engine.isolation();
        return refusal === undefined ? { engine } : { engine, instead: messageWithHint(refusal) };
      } catch (thrown) {
        refusal ??= thrown;
      }
    }
    throw refusal;
  };
  const chosen = new Map<Language, Promise<ChosenEngine>>();
  const chooseBase = async (language: Language, name: string): Promise<ChosenEngine> => {
    if (name !== "auto") return { engine: find(language, name) };
    const choosing = chosen.get(language) ?? firstThatWorks(language);
    chosen.set(language, choosing);
    choosing.catch(() => chosen.delete(language)); // what is missing may be installed meanwhile
    return choosing;
  };

  const equipped = new Map<string, Engine>();
  /** The same engine with the packages of an environment; another one whenever those have changed. */
  const equip = async (engine: Engine, environment: Environment): Promise<Engine> => {
    const { layers, path, python } = environment;
    if (engine.language !== "python" || (layers.python === undefined && path === undefined)) return engine;
    const make = equipment[engine.name];
    if (!make) throw noPackages(engine, environment);
    const key = `${engine.name} ${environment.name} ${layers.python ?? ""} ${python?.program ?? ""}`;
    const known = equipped.get(key) ?? (await make(environment, layers.python && (await packageFolder(layers.python))));
    equipped.set(key, known);
    return known;
  };
  const equipment: Readonly<Record<string, (of: Environment, packages: string | undefined) => Promise<Engine>>> = {
    cpython: async (environment, packages) =>
      createCPythonEngine({
        ...cpythonOptions,
        interpreter: await checkInterpreter({ ...environment, layers: {} }),
        packages: packages === undefined ? [] : [packages],
        followsLinks: environment.isModels !== true,
      }),
    container: async (environment, packages) => {
      const engine = createContainerEngine({ ...containerOptions, language: "python", packages });
      const version = await engine.version?.();
      if (environment.path === undefined && version === minorOf(environment.python?.version ?? "")) return engine;
      throw unfitForImage(environment, version);
    },
  };

  return {
    all,
    async choose(language, name = settings[language], environmentName) {
      const environment =
        environmentName === undefined ? await environments.find(usual) : await environments.get(environmentName);
      const base = await chooseBase(language, name);
      if (!environment) return base;
      return { ...base, engine: await equip(base.engine, environment), environment };
    },
  };
}

function noPackages({ name: engine }: Engine, { name }: Environment): CoordinatorError {
  return new CoordinatorError("environment_unusable", `The engine "${engine}" cannot have the packages of "${name}"`, {
    hint: 'Nothing has run. They are for this machine\'s Python: use the engine "cpython" or "container".',
  });
}

function unfitForImage({ name, path, python }: Environment, version: string | undefined): CoordinatorError {
  const why = path === undefined ? `is for Python ${minorOf(python?.version ?? "")}` : `stands on ${path}`;
  return new CoordinatorError(
    "environment_unusable",
    `The environment "${name}" ${why}, and the image of the engine "container" has Python ${version} of its own`,
    {
      hint: 'Nothing has run. Use the engine "cpython", or an image with that Python (coordinator.sandbox.container).',
    },
  );
}
