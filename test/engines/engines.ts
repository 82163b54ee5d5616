import { createContainerEngine } from "../../src/sandbox/container/engine.ts";
import { createCPythonEngine } from "../../src/sandbox/cpython/engine.ts";
import { createDenoEngine } from "../../src/sandbox/deno/engine.ts";
import type { Engine, Language, Limits } from "../../src/sandbox/engine.ts";
import { createPyodideEngine } from "../../src/sandbox/pyodide/engine.ts";
import { isAlive, thisProcess } from "../../src/system/owner.ts";
import { containerAbsence, containerImage } from "../container-image.ts";

/** One engine of one language, as the conformance suite and others try it. */
export interface EngineCase {
  readonly name: string;
  readonly language: Language;
  create(limits: Limits): Engine;
  /** Why its tests are skipped on this machine. */
  readonly absence?: string | undefined;
  /** What the engine needs of this machine and a test may make. */
  prepare?(): Promise<void>;
  readonly hasThreads: boolean;
  /** What `id -u` prints, where a guest may start processes inside its sandbox. */
  readonly spawns?: string;
}

const findProgram = (name: string) => `/usr/bin/${name}`;

const absence = containerAbsence();

/** The image is built once on a machine, from Debian's packages. */
function containerCase(language: Language): EngineCase {
  let image = "";
  return {
    name: "container",
    language,
    absence,
    async prepare() {
      image = containerImage();
    },
    create: (limits) => createContainerEngine({ language, limits, findProgram, image, owner: thisProcess(), isAlive }),
    hasThreads: language === "python",
    ...(language === "python" && { spawns: "65534\n" }),
  };
}

export const engineCases: readonly EngineCase[] = [
  {
    name: "deno",
    language: "typescript",
    create: (limits) => createDenoEngine({ limits, isolation: "os", findProgram }),
    hasThreads: false,
  },
  {
    name: "cpython",
    language: "python",
    create: (limits) => createCPythonEngine({ limits, findProgram }),
    hasThreads: true,
  },
  {
    name: "pyodide",
    language: "python",
    create: (limits) => createPyodideEngine({ limits, isolation: "os", findProgram }),
    hasThreads: false,
  },
  containerCase("python"),
  containerCase("typescript"),
];
