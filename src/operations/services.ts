import type { ApprovalStore } from "../approvals/approval-store.ts";
import type { Desk } from "../approvals/desk.ts";
import type { Config } from "../config/load.ts";
import type { ServerConfig } from "../config/server.ts";
import type { Door } from "../door/door.ts";
import type { Journal } from "../door/journal.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import type { MemoryStore } from "../memory/memory-store.ts";
import type { Environments } from "../packages/environments.ts";
import type { Dispatch } from "../runtime/dispatch.ts";
import type { Engines } from "../runtime/engines.ts";
import type { Execute } from "../runtime/execute.ts";
import type { DefinitionChanges } from "../runtime/libraries/definition-changes.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { Observations } from "../runtime/libraries/observations.ts";
import type { ObservedResults } from "../runtime/libraries/observed-results.ts";
import type { Notices } from "../runtime/notices.ts";
import type { Artifacts } from "../runtime/results/artifacts.ts";
import type { RunsUnderWay } from "../runtime/runs/runs-under-way.ts";
import type { Sessions } from "../runtime/sessions.ts";
import type { Pins } from "../servers/pins/pins.ts";
import type { ServerList } from "../servers/server-list.ts";
import type { SkillBook } from "../skills/skill-book.ts";
import type { SignIns } from "../upstream/oauth/sign-ins.ts";
import type { UpstreamView } from "../upstream/upstream-view.ts";
import type { Git } from "../workspace/git.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { InstallPackages } from "./environment/install-packages.ts";
import type { ApiFunction } from "./guest-api.ts";

/** What operations work with. */
export interface Services {
  /** As it was at the start; which servers there are now, `servers` and `libraries` know. */
  readonly config: Config;
  readonly servers: ServerList;
  readonly libraries: Libraries;
  /** How servers are, not a way to them: that is the door. */
  readonly upstreams: UpstreamView;
  readonly door: Door;
  /** Where acts wait for a person, and what people were asked. */
  readonly desk: Pick<Desk, "join" | "explain">;
  readonly approvals: ApprovalStore;
  /** What was accepted of servers. */
  readonly pins: Pins;
  readonly signIns: SignIns;
  readonly execute: Execute;
  readonly dispatch: Dispatch;
  readonly observations: Observations;
  readonly observed: ObservedResults;
  readonly definitionChanges: DefinitionChanges;
  /** The changes that nobody was told of yet, in words; empty when there are none. */
  readonly tellChanges: () => Promise<string>;
  /** The rules that are in force. */
  readonly policy: PolicyInForce;
  readonly journal: Journal;
  readonly underWay: RunsUnderWay;
  /** What those who have work under way are told. */
  readonly notices: Notices;
  readonly artifacts: Artifacts;
  readonly memory: MemoryStore;
  /** The size of the database: journal, skills, memory and what is known of servers. */
  readonly usedBytes: () => Promise<number>;
  readonly engines: Engines;
  readonly sessions: Sessions;
  readonly skills: SkillBook;
  readonly workspace: Workspace;
  /** git, on the folder of the workspace. */
  readonly git: Git;
  readonly environments: Omit<Environments, "install">;
  readonly installPackages: InstallPackages;
  /** Starts a server that is not configured yet, once, and asks for its tools. */
  readonly tryServer: (server: ServerConfig, signal?: AbortSignal) => ReturnType<Door["listTools"]>;
  /** What guests can import from `coordinator`. */
  readonly api: () => readonly ApiFunction[];
  /** The most that an answer may cost a model. */
  readonly maxTokens: number;
}
