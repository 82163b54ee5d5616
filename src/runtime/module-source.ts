import type { Language } from "../sandbox/engine.ts";

/** Where imports beside `mcp_tools` and `coordinator` are found: skills, files of the workspace, packages. */
export interface ModuleSource {
  /** The module that `specifier` means when `importer` imports it; undefined when it is none of this source's. */
  find(specifier: string, importer: SourceModule | undefined): SourceModule | undefined;
  /** What could have been meant, for "did you mean": `skills/report`, `./fib.ts`; Python gets dots for the slashes. */
  names(): readonly string[];
}

export interface SourceModule {
  /** The one name of this module, however it was imported: `skills/report@3`, `./lib/fib.ts`, `lodash`. */
  readonly id: string;
  readonly language: Language;
  readonly code: string;
  /** `commonjs` is delivered as it is and not checked; `source` (when absent) is compiled and checked like a guest. */
  readonly format?: "source" | "commonjs" | undefined;
}
