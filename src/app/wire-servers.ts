import type { Asker } from "../approvals/asker.ts";
import { clientAskers } from "../approvals/client-asker.ts";
import { createDesk } from "../approvals/desk.ts";
import { compareDefinitions } from "../catalog/compare-definitions.ts";
import { definitionHash } from "../catalog/definition-hash.ts";
import type { ConfigSource } from "../config/load.ts";
import { createDoor } from "../door/door.ts";
import type { Gate } from "../door/gate.ts";
import { createJournalRecorder } from "../door/journal-recorder.ts";
import { createListsGate } from "../door/lists-gate.ts";
import { createPolicyGate } from "../door/policy-gate.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import { createDispatch } from "../runtime/dispatch.ts";
import { createKnownToolsGate } from "../runtime/libraries/known-tools-gate.ts";
import { createLibraries } from "../runtime/libraries/libraries.ts";
import { createObservations } from "../runtime/libraries/observations.ts";
import type { Notices } from "../runtime/notices.ts";
import { createPace } from "../runtime/pace.ts";
import { createServerList } from "../servers/server-list.ts";
import { version } from "../system/version.ts";
import { createSignIns } from "../upstream/oauth/sign-ins.ts";
import { createUpstreams } from "../upstream/upstreams.ts";
import type { WiredStore } from "./wire-store.ts";

export type WiredServers = ReturnType<typeof wireServers>;

/** What the program that embeds us brings. */
export interface Embedding {
  /** They judge after ours. */
  readonly gates?: readonly Gate[] | undefined;
  /** Its own ways to ask a person, for every run. */
  readonly askers?: readonly Asker[] | undefined;
  /** How long a run waits for a person before it is answered; as configured when absent. */
  readonly waitSeconds?: number | undefined;
  /** How long it keeps its process after that; as configured when absent. */
  readonly parkMinutes?: number | undefined;
}

interface WiredBefore {
  readonly notices: Notices;
  readonly lockFolder: string;
  readonly policy: PolicyInForce;
  readonly embedding: Embedding;
}

/** The servers, the door to them, and what is known of their tools. */
export function wireServers(
  source: ConfigSource,
  { store, credentials }: WiredStore,
  { notices, lockFolder, policy, embedding }: WiredBefore,
) {
  const { servers: configured, leftOut, approvals } = source.config;
  const { gates: moreGates = [], askers = [] } = embedding;
  const { waitSeconds = approvals.waitSeconds, parkMinutes = approvals.parkMinutes } = embedding;
  const upstreams = createUpstreams(configured, {
    version,
    credentials,
    onFailed: (server, { message }) => notices.tell({ about: server, message }),
    onToolsChanged: createPace((server) => libraries.refresh(server)), // the known library goes on serving
  });
  const desk = createDesk({
    store: store.approvals,
    settings: { ...approvals, waitSeconds, parkMinutes },
    askers,
    askersOf: (caller) => clientAskers(caller, "the user of the client"),
    subjectOf({ server, name, kind }) {
      const tool = kind === "tool" ? libraries.peek(server)?.tools.get(name) : undefined;
      return { identity: libraries.identity(server), definition: tool ? definitionHash(tool) : "" };
    },
    rules: policy,
    async doneIn(run) {
      const calls = (await store.journal.getRun(run))?.toolCalls ?? [];
      return calls.filter(({ outcome }) => outcome !== "refused" && outcome !== "not_sent").length;
    },
  });
  const door = createDoor({
    upstreams,
    gates: [
      createListsGate((server) => libraries.server(server).tools),
      createKnownToolsGate(() => libraries),
      createPolicyGate({
        inForce: policy,
        claims: (server, tool) => libraries.peek(server)?.tools.get(tool)?.annotations,
      }),
      ...moreGates,
    ],
    recorders: [createJournalRecorder(store.journal)],
    runs: store.journal,
    approve: desk.approve,
  });
  const libraries = createLibraries({
    servers: configured,
    leftOut,
    door,
    cache: store.catalogs,
    onRedefined: (identity, before, after) => store.definitionChanges.note(identity, compareDefinitions(before, after)),
  });
  const observations = createObservations({ libraries, store: store.observed });
  const servers = createServerList(source, {
    lockFolder,
    use(wanted, unusable) {
      upstreams.update(wanted);
      libraries.update(wanted, unusable);
    },
  });
  const signIns = createSignIns({
    servers: () => servers.current,
    server: (name) => libraries.server(name),
    credentials,
  });
  const dispatch = createDispatch({ door, libraries, observations });
  return { upstreams, door, desk, libraries, observations, dispatch, servers, signIns };
}
