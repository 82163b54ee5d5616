import type { Tool } from "../../catalog/tool.ts";
import type { PinSettings } from "../../config/schema.ts";
import { type Definition, instructionsDefinition, toolDefinition, toolOf } from "../../policy/pins/definition.ts";
import type { Lock } from "../../policy/pins/lock-schema.ts";
import type { Pin, PinMode } from "../../policy/pins/pin.ts";
import { fieldsOf } from "../../system/fields.ts";
import { byName, type ListedDefinitions, reviewListed, reviewLocked } from "./definition-pins.ts";
import { newsText } from "./pin-refusal.ts";
import type { PinStore } from "./pin-store.ts";
import { definitionOfItem, shownItems, shownTools } from "./show-listed.ts";
import type { Stops } from "./stops.ts";

/** What a server has said of its tools and of itself, as it is kept and shown. */
interface Listing {
  readonly tools: readonly Tool[];
  readonly info: unknown;
}

/** Lists of servers, held to what was accepted of them. */
export interface HeldLists {
  /** A list of tools, and what a server says of itself; gives what is to be shown. */
  review(server: string, listing: Listing): Promise<Listing>;
  /** The same for a list that is handed on as it is. */
  reviewItems(
    server: string,
    kind: "tool" | "prompt" | "template",
    items: readonly unknown[],
  ): Promise<readonly unknown[]>;
  /** The same for what a server says of itself on a new connection. */
  shownInfo(server: string, info: unknown): Promise<unknown>;
  /** What is known of a server's tools counts as its first list, unless there is one. */
  acceptKnown(server: string): Promise<void>;
}

interface HeldListsOptions {
  readonly store: PinStore;
  readonly stops: Stops;
  readonly lock: Lock | undefined;
  /** Undefined for a server that is not configured any more. */
  readonly keyOf: (server: string) => Promise<string | undefined>;
  readonly mode: (server: string) => PinMode;
  readonly ignore: (server: string) => NonNullable<PinSettings["ignore"]>;
  /** What was known of a server's tools before they were held to anything. */
  readonly known: (server: string) => Promise<readonly Tool[] | undefined>;
  tell(server: string, message: string): void;
  onChanged(server: string, before: readonly Tool[], after: readonly Tool[]): Promise<void>;
}

export function createHeldLists(options: HeldListsOptions): HeldLists {
  const { store, stops, lock, keyOf, mode, ignore, known, tell } = options;

  const knownOf = async (server: string, kind: Pin["kind"]) =>
    kind === "tool" ? (await known(server))?.map(toolDefinition) : undefined;
  /** The pins of a list as it is now; undefined where changes are only noted. */
  const held = async (
    list: Omit<ListedDefinitions, "key" | "before">,
  ): Promise<ReadonlyMap<string, Pin> | undefined> => {
    const { server, kind } = list;
    const key = await keyOf(server);
    if (key === undefined) return undefined;
    if (lock) {
      const pins = reviewLocked(lock, { ...list, key });
      stops.put(server, kind, pins);
      return byName(pins);
    }
    if (mode(server) === "note") return undefined;
    const listed = { ...list, key, before: () => knownOf(server, kind) };
    const review = await reviewListed(store, listed, { mode: mode(server), ignore: ignore(server) });
    stops.put(server, kind, review.pins);
    if (review.news.length > 0) await announce(server, review.news);
    return byName(review.pins);
  };
  const announce = async (server: string, news: readonly Pin[]): Promise<void> => {
    tell(server, newsText(server, news));
    const tools = (pick: (pin: Pin) => Definition | undefined) =>
      news.flatMap((pin) => (pin.kind === "tool" ? (pick(pin) ?? []) : [])).map((one) => toolOf(one, one.name));
    await options.onChanged(
      server,
      tools(({ accepted }) => accepted),
      tools(({ seen }) => seen),
    );
  };
  const isBlocked = (server: string, kind: Pin["kind"], name: string) =>
    stops.find(server, kind, name, "note") !== undefined;
  const shownInfo: HeldLists["shownInfo"] = async (server, info) => {
    const { instructions } = fieldsOf(info);
    const definitions = [instructionsDefinition(instructions)];
    const pin = (await held({ server, kind: "instructions", definitions }))?.get("");
    if (pin === undefined) return info;
    return { ...fieldsOf(info), instructions: pin.state === "blocked" ? undefined : pin.accepted?.parts["text"] };
  };
  return {
    async review(server, { tools, info }) {
      await stops.ready();
      const pins = await held({ server, kind: "tool", definitions: tools.map(toolDefinition) });
      const shown = pins ? shownTools(tools, pins) : tools.filter(({ name }) => !isBlocked(server, "tool", name));
      return { tools: shown, info: await shownInfo(server, info) };
    },
    async reviewItems(server, kind, items) {
      await stops.ready();
      const definitions = items.map((item) => definitionOfItem(kind, item));
      const pins = await held({ server, kind, definitions: definitions.flatMap((one) => one ?? []) });
      if (pins) return shownItems(kind, items, pins);
      return items.filter((_item, index) => !isBlocked(server, kind, definitions[index]?.name ?? ""));
    },
    shownInfo,
    async acceptKnown(server) {
      const key = await keyOf(server);
      if (key === undefined || (await store.list(key, "tool")) !== undefined) return;
      const definitions = (await known(server))?.map(toolDefinition);
      if (definitions)
        await reviewListed(store, { server, key, kind: "tool", definitions }, { mode: "note", ignore: {} });
    },
  };
}
