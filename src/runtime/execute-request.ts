import type { ToolName } from "../actor.ts";
import type { Language } from "../sandbox/engine.ts";
import type { ModuleSource } from "./modules/module-source.ts";

/** Guest code, and how it is to run. */
export interface ExecuteRequest {
  readonly code: string;
  /** TypeScript when absent. */
  readonly language?: Language | undefined;
  /** The engine's name; the configured one when absent. */
  readonly engine?: string | undefined;
  /** The environment whose packages and variables it has; the configured one, if there is one, when absent. */
  readonly environment?: string | undefined;
  /** Keeps variables, imports and definitions for the client's next run of that name and language. */
  readonly session?: string | undefined;
  /** The servers that the guest may use; all when absent. */
  readonly servers?: readonly string[] | undefined;
  /** The only tools that the guest may call, as a skill declares them; all when absent. */
  readonly tools?: readonly ToolName[] | undefined;
  readonly timeoutSeconds?: number | undefined;
  /** Whether to check types and names first; yes when absent. */
  readonly check?: boolean | undefined;
  /** Checks and stops before anything runs. */
  readonly dryRun?: boolean | undefined;
}

/** The same with what only our own operations ask for. */
export interface RunRequest extends ExecuteRequest {
  /** Where imports beside libraries are found, before the places that every run has. */
  readonly modules?: readonly ModuleSource[] | undefined;
  /** The file that the code is from and the arguments for it, as the guest sees them. */
  readonly argv?: readonly string[] | undefined;
  /** A skill that is tried before it is saved: it has no turn of its own, since the run that saves it may have the last one. */
  readonly isTrial?: true | undefined;
  /** Runs the tests that the code defines; the result is a report of them. */
  readonly test?: boolean | undefined;
}
