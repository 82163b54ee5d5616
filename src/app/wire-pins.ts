import { local } from "../actor.ts";
import { createAcceptance } from "../approvals/acceptance.ts";
import { compareDefinitions } from "../catalog/compare-definitions.ts";
import type { ConfigSource } from "../config/load.ts";
import type { Door } from "../door/door.ts";
import type { PolicyInForce } from "../door/policy-in-force.ts";
import type { Libraries } from "../runtime/libraries/libraries.ts";
import type { Notices } from "../runtime/notices.ts";
import { createCurrentLists } from "../servers/pins/current-lists.ts";
import { proposalOf } from "../servers/pins/pin-refusal.ts";
import { createPins } from "../servers/pins/pins.ts";
import { createPinsGate } from "../servers/pins/pins-gate.ts";
import type { Store } from "../store/sqlite/store.ts";
import type { ListedItems, ListName } from "../upstream/list-pages.ts";
import type { UpstreamView } from "../upstream/upstream-view.ts";
import type { Embedding } from "./embedding.ts";

interface PinWiring {
  readonly source: ConfigSource;
  readonly store: Pick<Store, "pins" | "definitionChanges">;
  readonly policy: PolicyInForce;
  readonly notices: Notices;
  readonly embedding: Pick<Embedding, "accepters" | "tell" | "lock">;
  readonly waitSeconds: number;
  /** As the file has them now. */
  readonly pinned: () => ConfigSource["config"]["pinned"];
  readonly libraries: () => Libraries;
  readonly door: () => Door;
  readonly upstreams: () => UpstreamView;
}

/** What was accepted of servers, and the gate that holds them to it. */
export function wirePins(wiring: PinWiring) {
  const { source, store, policy, notices, embedding, waitSeconds, pinned, libraries, door, upstreams } = wiring;
  const { lock } = embedding;
  const { file, origin } = source;
  const pins = createPins({
    ...{ store: store.pins, lock },
    of: {
      ...{ file, origin },
      servers: () => new Map([...pinned()].map(([name, { written }]) => [name, written])),
      identity: (server) => libraries().identity(server),
    },
    settings: (server) => pinned().get(server)?.pins,
    layers: () => policy.layers,
    known: (server) => libraries().remembered(server),
    tell: (about, message) => notices.tell({ about, message }),
    onAccepted: (message) => embedding.tell?.(message),
    onChanged: (server, before, after) =>
      store.definitionChanges.note(libraries().identity(server), compareDefinitions(before, after)),
    redefine: (server, tools) => libraries().redefine(server, tools),
  });
  const accept = createAcceptance({
    asksClients: source.config.approvals.channels.includes("client"),
    ...{ waitSeconds, accepters: embedding.accepters ?? [] },
  });
  const lists = createCurrentLists({
    connection: (server) => upstreams().connection(server),
    relist: (server, kind) => (kind === "tool" ? libraries().refresh(server) : door().list(server, "prompts", local)),
  });
  const gate = createPinsGate({
    ...{ pins, file },
    mark: store.pins.mark,
    onMarkChanged() {
      pins.forget();
      libraries().reload(libraries().modules.map(({ name }) => name));
    },
    isCurrent: (server, kind) =>
      lock === undefined && pins.mode(server) === "note" ? true : lists.isCurrent(server, kind),
    askToAccept: (standing, actor) => accept(proposalOf(standing, file), actor),
  });
  return {
    ...{ pins, gate, lists },
    /** What is shown of a list that is handed on as it is. */
    async reviewList(server: string, name: ListName, listed: ListedItems): Promise<ListedItems> {
      const kind = pinnedLists.get(name);
      return kind === undefined
        ? listed
        : { ...listed, items: [...(await pins.reviewItems(server, kind, listed.items))] };
    },
  };
}

const pinnedLists = new Map<ListName, "prompt" | "template">([
  ["prompts", "prompt"],
  ["resourceTemplates", "template"],
]);
