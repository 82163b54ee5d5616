import { join } from "node:path";
import type { SandboxSettings } from "../config/schema.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import type { Environment } from "../packages/environment-folders.ts";
import type { Environments } from "../packages/environments.ts";
import { checkInterpreter, packageFolder } from "../packages/python/installer.ts";
import { createContainerEngine } from "../sandbox/container/engine.ts";
import { createCPythonEngine } from "../sandbox/cpython/engine.ts";
import { minorOf } from "../sandbox/cpython/interpreter.ts";
import { createDenoEngine } from "../sandbox/deno/engine.ts";
import type { Engine, FindProgram, Language } from "../sandbox/engine.ts";
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
  findProgram: FindProgram,
  cacheFolder: string,
  { environments, usual }: UsedEnvironments,
): Engines {
  const all = enginesOf(settings, findProgram, cacheFolder);
  const chooseFirst = createAutomaticChoice(all);
  const equip = createEquipment(all);
  return {
    all,
    async choose(language, name = settings[language], environmentName) {
      const environment =
        environmentName === undefined ? await environments.find(usual) : await environments.get(environmentName);
      const base = name === "auto" ? await chooseFirst(language) : { engine: find(all, language, name) };
      if (!environment) return base;
      return { ...base, engine: await equip(base.engine, environment), environment };
    },
  };
}

function enginesOf(
  { limits, isolation, container }: SandboxSettings,
  findProgram: FindProgram,
  cacheFolder: string,
): readonly Engine[] {
  const options = { limits, isolation, findProgram };
  const containerOptions = { ...options, ...container, owner: thisProcess(), isAlive };
  return [
    createDenoEngine(options),
    createCPythonEngine({ ...options, memory: join(cacheFolder, "interpreters") }),
    createPyodideEngine(options),
    createContainerEngine({ ...containerOptions, language: "typescript" }),
    createContainerEngine({ ...containerOptions, language: "python" }),
  ];
}

function find(all: readonly Engine[], language: Language, name: string): Engine {
  const known = all.filter((engine) => engine.language === language);
  const engine = known.find((each) => each.name === name);
  if (engine) return engine;
  throw new CoordinatorError("engine_unavailable", `There is no engine "${name}" for ${language}`, {
    hint: `Choose one of: auto, ${known.map((each) => each.name).join(", ")}.`,
  });
}

/** The first engine of a language that works here, tried until one has. */
function createAutomaticChoice(all: readonly Engine[]): (language: Language) => Promise<ChosenEngine> {
  const firstThatWorks = async (language: Language): Promise<ChosenEngine> => {
    let refusal: unknown;
    for (const engine of all.filter((each) => each.language === language && each.isAutomatic)) {
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
  return (language) => {
    const choosing = chosen.get(language) ?? firstThatWorks(language);
    chosen.set(language, choosing);
    choosing.catch(() => chosen.delete(language)); // what is missing may be installed meanwhile
    return choosing;
  };
}

/** The same engine with the packages of an environment; another one whenever those have changed. */
function createEquipment(all: readonly Engine[]): (engine: Engine, environment: Environment) => Promise<Engine> {
  const equipped = new Map<string, Engine>();
  return async (engine, environment) => {
    const { name, layers, path, python } = environment;
    // Those of TypeScript travel with the program.
    if (engine.language !== "python" || (layers.python === undefined && path === undefined)) return engine;
    if (!engine.equip) throw noPackages(engine, name, all);
    const key = `${engine.name} ${name} ${layers.python ?? ""} ${python?.program ?? ""}`;
    const known =
      equipped.get(key) ??
      (await engine.equip({
        environment: name,
        folder: layers.python && (await packageFolder(layers.python)),
        base: path,
        followLinks: environment.isModels !== true,
        version: minorOf(python?.version ?? ""),
        interpreter: () => checkInterpreter(environment),
      }));
    equipped.set(key, known);
    return known;
  };
}

function noPackages({ name, language }: Engine, environment: string, all: readonly Engine[]): CoordinatorError {
  const others = all.filter((each) => each.language === language && each.takesPackages).map((each) => `"${each.name}"`);
  return new CoordinatorError(
    "environment_unusable",
    `The engine "${name}" cannot have the packages of "${environment}"`,
    { hint: `Nothing has run. They are for this machine's Python: use the engine ${others.join(" or ")}.` },
  );
}
