import type { Language } from "../../src/sandbox/engine.ts";

export interface EngineEntry {
  readonly name: string;
  readonly language: Language;
}

/** Every engine, for each language that it runs. One that cannot run here is reported as absent, with the reason. */
export const engines: readonly EngineEntry[] = [
  { name: "deno", language: "typescript" },
  { name: "container", language: "typescript" },
  { name: "cpython", language: "python" },
  { name: "pyodide", language: "python" },
  { name: "container", language: "python" },
];
