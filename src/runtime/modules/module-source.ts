import type { ToolName } from "../../actor.ts";
import type { Language } from "../../sandbox/engine.ts";

/** Where imports beside `mcp_tools` and `coordinator` are found: skills, files of the workspace, packages. */
export interface ModuleSource {
  /** The module that `specifier` means when `importer` imports it; undefined when it is not one of this source's. */
  find(specifier: string, importer: SourceModule | undefined): Found | Promise<Found>;
  /**
   * What code of a language could have meant, for "did you mean": `skills/report`, `./fib.ts`; Python gets dots for the
   * slashes.
   */
  names(language: Language): Promise<readonly string[]>;
}

type Found = SourceModule | undefined;

export interface SourceModule {
  /** The one name of this module, however it was imported: `skills/report@3`, `./lib/fib.ts`, `lodash`. */
  readonly id: string;
  readonly language: Language;
  readonly code: string;
  /** `commonjs` is delivered as it is and not checked; `source` (when absent) is compiled and checked like a guest. */
  readonly format?: "source" | "commonjs" | undefined;
  /** Of a skill that was saved by a run that might not use everything: what its importers may. */
  readonly limit?: SkillLimit | undefined;
}

/** What the run could call that saved a skill: tools of these servers, only these tools. */
export interface SkillLimit {
  /** Sorted, as are the tools, so that two limits that are the same look the same. */
  readonly servers?: readonly string[] | undefined;
  readonly tools?: readonly ToolName[] | undefined;
}
