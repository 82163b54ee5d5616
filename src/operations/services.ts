import type { Config } from "../config/load.ts";
import type { Environments } from "../packages/environments.ts";
import type { AskUpstream } from "../runtime/ask-upstream.ts";
import type { Dispatch } from "../runtime/dispatch.ts";
import type { Execute } from "../runtime/execute.ts";
import type { Forward } from "../runtime/forward.ts";
import type { Libraries } from "../runtime/libraries.ts";
import type { Notices } from "../runtime/notices.ts";
import type { Observations } from "../runtime/observations.ts";
import type { RunsUnderWay } from "../runtime/runs-under-way.ts";
import type { Sessions } from "../runtime/sessions.ts";
import type { Artifacts } from "../store/artifacts.ts";
import type { DefinitionChanges } from "../store/definition-changes.ts";
import type { Journal } from "../store/journal.ts";
import type { Memory } from "../store/memory.ts";
import type { ObservedResults } from "../store/observed-results.ts";
import type { SignIns } from "../upstream/oauth/sign-ins.ts";
import type { Upstreams } from "../upstream/upstreams.ts";
import type { Git } from "../workspace/git.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Engines } from "./engines.ts";
import type { ServerList } from "./server-list.ts";
import type { SkillBook } from "./skill-book.ts";

/** What operations work with. */
export interface Services {
  /** As it was at the start; which servers there are now, `servers` and `libraries` know. */
  readonly config: Config;
  readonly servers: ServerList;
  readonly libraries: Libraries;
  readonly upstreams: Upstreams;
  readonly signIns: SignIns;
  readonly execute: Execute;
  readonly dispatch: Dispatch;
  /** The same door, for requests that are handed on as they are. */
  readonly forward: Forward;
  readonly observations: Observations;
  readonly observed: ObservedResults;
  readonly definitionChanges: DefinitionChanges;
  readonly askUpstream: AskUpstream;
  readonly journal: Journal;
  readonly underWay: RunsUnderWay;
  /** What those who have work under way are told. */
  readonly notices: Notices;
  readonly artifacts: Artifacts;
  readonly memory: Memory;
  /** The size of the database: journal, skills, memory and what is known of servers. */
  readonly usedBytes: () => number;
  readonly engines: Engines;
  readonly sessions: Sessions;
  readonly skills: SkillBook;
  readonly workspace: Workspace;
  /** git, on the folder of the workspace. */
  readonly git: Git;
  readonly environments: Environments;
  /** The most that an answer may cost a model. */
  readonly maxTokens: number;
}
