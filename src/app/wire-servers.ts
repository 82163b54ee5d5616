import { compareDefinitions } from "../catalog/compare-definitions.ts";
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

interface WiredBefore {
  readonly notices: Notices;
  readonly lockFolder: string;
  readonly policy: PolicyInForce;
  readonly moreGates: readonly Gate[];
}

/** The servers, the door to them, and what is known of their tools. */
export function wireServers(
  source: ConfigSource,
  { store, credentials }: WiredStore,
  { notices, lockFolder, policy, moreGates }: WiredBefore,
) {
  const { servers: configured, leftOut } = source.config;
  const upstreams = createUpstreams(configured, {
    version,
    credentials,
    onFailed: (server, { message }) => notices.tell({ about: server, message }),
    onToolsChanged: createPace((server) => libraries.refresh(server)), // the known library goes on serving
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
  return { upstreams, door, libraries, observations, dispatch, servers, signIns };
}
