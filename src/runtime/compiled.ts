import type { Library } from "../catalog/tool.ts";
import type { Link } from "../sandbox/engine.ts";
import type { Problem } from "./checks/problem.ts";
import type { SourceModule } from "./modules/module-source.ts";
import type { UsageOf } from "./own-module.ts";

/** Guest code, read and made ready for its engine. */
export interface Compiled {
  readonly code: string;
  readonly imports: readonly Import[];
  /** What it defines at its top level: a session keeps it for the next run. */
  readonly declared: readonly Declared[];
  /** The guest's own line for a place in the code that runs; absent where that is the guest's own text. */
  readonly lineOf?: ((line: number, column: number) => number | undefined) | undefined;
}

/** A module that the code names in an import. */
export interface Import {
  /** As it is written: `mcp_tools/github`, `node:fs`, `mcp_tools.github`, `os.path`. */
  readonly specifier: string;
  /** What Python's `from` takes from it, which may be a module of its own. */
  readonly member?: string | undefined;
  /** The module of `mcp_tools` that it means, when it means one. */
  readonly library?: string | undefined;
  readonly line: number;
  readonly column: number;
}

/** A name that a session keeps. One that was imported keeps its type; of others only the name is known. */
export interface Declared {
  readonly name: string;
  readonly from?:
    | { readonly specifier: string /** `*` means the module itself. */; readonly member: string }
    | undefined;
  /** Whether it is a type: of a class or an enum both are kept. */
  readonly isType?: boolean | undefined;
}

/** Finds what would go wrong in guest code, before it runs. */
export interface Checker extends AsyncDisposable {
  check(source: string, libraries: readonly Library[], context?: CheckContext): Promise<readonly Problem[]>;
  /** Ends the process that checks; the next check starts one. */
  stop(): Promise<void>;
}

export interface CheckContext {
  /** What earlier runs of the session have left. */
  readonly kept?: readonly Declared[] | undefined;
  /** Modules that are there beside the language's own and ours, by their first name. */
  readonly modules?: ReadonlySet<string> | undefined;
  /** Why servers that are configured cannot be imported, by their module: a sentence each. */
  readonly absent?: AbsentServers | undefined;
  /** Modules that come with the program. */
  readonly linked?: LinkedModules | undefined;
  /** How functions of our own module are called. */
  readonly usageOf?: UsageOf | undefined;
  /** Whether the code is a module itself, which cannot wait at its top level. */
  readonly isModule?: boolean | undefined;
}

export type AbsentServers = ReadonlyMap<string, string>;

/** A module that comes with a program, ready to run. */
export interface LinkedModule extends SourceModule {
  readonly compiled: Compiled;
  readonly links: readonly Link[];
}

/** All modules that come with a program, each once. */
export interface LinkedModules {
  readonly modules: readonly LinkedModule[];
  /** What the guest's own imports mean. */
  readonly links: readonly Link[];
  /** What could have been meant by an import that means nothing; empty where there is none. */
  readonly names: readonly string[];
}

export const noModules: LinkedModules = { modules: [], links: [], names: [] };
