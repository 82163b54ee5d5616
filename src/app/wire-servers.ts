import { clientAskers } from "../approvals/client-asker.ts";
import { createDesk } from "../approvals/desk.ts";
import { compareDefinitions } from "../catalog/compare-definitions.ts";
import { definitionHash } from "../catalog/definition-hash.ts";
import type { ConfigSource } from "../config/load.ts";
import { createDoor } from "../door/door.ts";
import { createJournalRecorder } from "../door/journal-recorder.ts";
import { createListsGate } from "../door/lists-gate.ts";
import { createPolicyGate } from "../door/policy-gate.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import { createDispatch } from "../runtime/dispatch.ts";
import { createKnownToolsGate } from "../runtime/libraries/known-tools-gate.ts";
import { createLibraries, type Libraries } from "../runtime/libraries/libraries.ts";
import { createObservations } from "../runtime/libraries/observations.ts";
import type { Notices } from "../runtime/notices.ts";
import { createPace } from "../runtime/pace.ts";
import { createServerList } from "../servers/server-list.ts";
import { version } from "../system/version.ts";
import { createSignIns } from "../upstream/oauth/sign-ins.ts";
import { createUpstreams } from "../upstream/upstreams.ts";
import type { Embedding } from "./embedding.ts";
import { wirePins } from "./wire-pins.ts";
import type { WiredStore } from "./wire-store.ts";

export type WiredServers = ReturnType<typeof wireServers>;

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
  const { waitSeconds = approvals.waitSeconds, parkMinutes = approvals.parkMinutes } = embedding;
  const upstreams = createUpstreams(configured, {
    version,
    credentials,
    mayStart: (server) => pins.mayStart(server),
    onFailed: (server, { message }) => notices.tell({ about: server, message }),
    onToolsChanged(server) {
      lists.changed(server, "tool");
      relist(server);
    },
  });
  const relist = createPace((server) => libraries.refresh(server)); // the known library goes on serving
  upstreams.onNotification((server, { method }) => {
    if (method === "notifications/prompts/list_changed") lists.changed(server, "prompt");
  });
  const { pins, gate, lists, reviewList } = wirePins({
    ...{ source, store, policy, notices, embedding, waitSeconds },
    pinned: () => servers.pinned,
    libraries: () => libraries,
    door: () => door,
    upstreams: () => upstreams,
  });
  const desk = wireDesk(
    { store, policy, embedding, approvals: { ...approvals, waitSeconds, parkMinutes } },
    () => libraries,
  );
  const door = createDoor({
    upstreams,
    gates: [
      createListsGate((server) => libraries.server(server).tools),
      gate,
      createKnownToolsGate(() => libraries),
      createPolicyGate({
        inForce: policy,
        claims: (server, tool) => libraries.peek(server)?.tools.get(tool)?.annotations,
      }),
      ...(embedding.gates ?? []),
    ],
    recorders: [createJournalRecorder(store.journal)],
    runs: store.journal,
    approve: desk.approve,
    reviewList,
  });
  const libraries = createLibraries({
    servers: configured,
    leftOut,
    door,
    cache: store.catalogs,
    review: pins.review,
    onRedefined: (identity, before, after) => store.definitionChanges.note(identity, compareDefinitions(before, after)),
  });
  const observations = createObservations({ libraries, store: store.observed });
  const servers = createServerList(source, {
    lockFolder,
    use(wanted, unusable) {
      pins.forget();
      upstreams.update(wanted);
      libraries.update(wanted, unusable);
    },
    onWritten: pins.written,
  });
  const signIns = createSignIns({
    servers: () => servers.current,
    server: (name) => libraries.server(name),
    credentials,
    onSignedIn: pins.startAnew,
  });
  const dispatch = createDispatch({ door, libraries, observations });
  return { upstreams, door, desk, libraries, observations, dispatch, servers, signIns, pins };
}

interface DeskWiring {
  readonly store: WiredStore["store"];
  readonly policy: PolicyInForce;
  readonly embedding: Embedding;
  readonly approvals: ConfigSource["config"]["approvals"];
}

function wireDesk({ store, policy, embedding, approvals }: DeskWiring, libraries: () => Libraries) {
  return createDesk({
    store: store.approvals,
    settings: approvals,
    askers: embedding.askers ?? [],
    askersOf: (caller) => clientAskers(caller, "the user of the client"),
    subjectOf({ server, name, kind }) {
      const tool = kind === "tool" ? libraries().peek(server)?.tools.get(name) : undefined;
      return { identity: libraries().identity(server), definition: tool ? definitionHash(tool) : "" };
    },
    rules: policy,
    async doneIn(run) {
      const calls = (await store.journal.getRun(run))?.toolCalls ?? [];
      return calls.filter(({ outcome }) => outcome !== "refused" && outcome !== "not_sent").length;
    },
  });
}
