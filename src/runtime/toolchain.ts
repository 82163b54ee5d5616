import type { Engine, GuestError, Language } from "../sandbox/engine.ts";
import type { Pool } from "../sandbox/pool.ts";
import type { MissingPackage, Problem } from "./checks/problem.ts";
import type { Checker, Compiled } from "./compiled.ts";

/** What it takes to run guests of one language: how they are read, checked and executed. */
export interface Toolchain {
  readonly language: Language;
  readonly engine: Engine;
  /** Sandboxes of that engine, started ahead. */
  readonly pool: Pool;
  readonly checker: Checker;
  /** Whether the language itself has a module of that name: no other can stand for it. */
  isStandard(specifier: string): boolean;
  /** The environment that its guests are in, and what they find in `os.environ` or `process.env`. */
  readonly environment?: { readonly name: string; readonly variables: Readonly<Record<string, string>> };
  /** `session`: what the code defines is kept for the next run. `module`: what it exports is for those who import it. */
  compile(
    source: string,
    options: { readonly session?: boolean; readonly module?: boolean },
  ): Promise<Compiled | { readonly problems: readonly Problem[] }>;
  /** What is to be said of a guest that failed for want of a module; undefined when it failed otherwise. */
  missingModule(error: GuestError): MissingModule | undefined;
}

/** A module that is not there: the package that brings it, or why none does. */
export type MissingModule = { readonly missing: MissingPackage } | { readonly hint: string };
