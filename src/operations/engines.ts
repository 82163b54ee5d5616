import { join } from "node:path";
import type { Sandbox as SandboxSettings } from "../config/schema.ts";
import { CoordinatorError, messageWithHint } from "../errors.ts";
import { createContainerEngine } from "../sandbox/container/engine.ts";
import { createCPythonEngine } from "../sandbox/cpython/engine.ts";
import { createDenoEngine } from "../sandbox/deno/engine.ts";
import type { Engine, Language } from "../sandbox/engine.ts";
import { createPyodideEngine } from "../sandbox/pyodide/engine.ts";
import { isAlive, thisProcess } from "../store/owner.ts";

/** The engines that this version has, for each language the preferred one first. */
export interface Engines {
  readonly all: readonly Engine[];
  /** The engine of that name, or the configured one; `auto` is the first that works here. Throws when it has to refuse. */
  choose(language: Language, name?: string): Promise<ChosenEngine>;
}

interface ChosenEngine {
  readonly engine: Engine;
  /** Why `auto` did not take the preferred engine. */
  readonly instead?: string;
}

export function createEngines(
  settings: SandboxSettings,
  findProgram: (name: string) => string | undefined,
  cacheFolder: string,
): Engines {
  const { limits, isolation, container } = settings;
  const options = { limits, isolation, findProgram };
  const containerOptions = { ...options, ...container, owner: thisProcess(), isAlive };
  const all: readonly Engine[] = [
    createDenoEngine(options),
    createCPythonEngine({ ...options, memory: join(cacheFolder, "interpreters") }),
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
  return {
    all,
    async choose(language, name = settings[language]) {
      if (name !== "auto") return { engine: find(language, name) };
      const choosing = chosen.get(language) ?? firstThatWorks(language);
      chosen.set(language, choosing);
      choosing.catch(() => chosen.delete(language)); // what is missing may be installed meanwhile
      return choosing;
    },
  };
}
