import type { Config } from "../config/load.ts";
import type { Environments } from "../packages/environments.ts";
import type { Dispatch } from "../runtime/dispatch.ts";
import type { Execute } from "../runtime/execute.ts";
import type { Libraries } from "../runtime/libraries.ts";
import type { Sessions } from "../runtime/sessions.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { Journal } from "../store/journal.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { Engines } from "./engines.ts";

/** What operations work with. */
export interface Services {
  readonly config: Config;
  readonly libraries: Libraries;
  readonly upstreams: Upstreams;
  readonly execute: Execute;
  readonly dispatch: Dispatch;
  readonly journal: Journal;
  readonly artifacts: Artifacts;
  readonly engines: Engines;
  readonly sessions: Sessions;
  readonly environments: Environments;
  /** The most that an answer may cost a model. */
  readonly maxTokens: number;
}
