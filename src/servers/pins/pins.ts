import type { Tool } from "../../catalog/tool.ts";
import type { PinSettings } from "../../config/schema.ts";
import { toolOf } from "../../policy/pins/definition.ts";
import type { Lock } from "../../policy/pins/lock-schema.ts";
import type { Pin, PinMode } from "../../policy/pins/pin.ts";
import { acceptedPin } from "../../policy/pins/review-list.ts";
import type { Layer } from "../../policy/rule.ts";
import { createHeldLists, type HeldLists } from "./held-lists.ts";
import { pinModeOf } from "./pin-mode.ts";
import { acceptedText, serverRefusal } from "./pin-refusal.ts";
import type { PinStore } from "./pin-store.ts";
import { type ConfiguredFile, createServerPins, type ServerPins, type ServerStanding } from "./server-pins.ts";
import { createStops } from "./stops.ts";

/** What was accepted of servers and of what they offer, held to what they say now. */
export interface Pins extends HeldLists {
  readonly servers: ServerPins;
  /** What everything is held to, where that is a lock. */
  readonly lock: Lock | undefined;
  /** Everything of a server that is pinned. */
  all(server: string): Promise<readonly Pin[]>;
  /** What of it is not accepted as it is. */
  open(server: string): Promise<readonly Pin[]>;
  /** A person accepts the server, and these as they are now; answers how many of them still were what was given. */
  accept(server: ServerStanding, pins: readonly Pin[], by: string): Promise<number>;
  block(server: ServerStanding, pins: readonly Pin[], by: string): Promise<number>;
  /** What the entry and the rules make of it now. */
  mode(server: string): PinMode;
  /** Throws why a server may not be started. */
  mayStart(server: string): Promise<void>;
  /** Why something of a server cannot be used; undefined when it can be. Only what was read before: `ready` reads it. */
  stop(server: string, kind: Pin["kind"], name: string): Pin | undefined;
  /** A promise only when something is to be read first. */
  ready(): undefined | Promise<unknown>;
  /** A command of ours has written these into the file, or taken them out, with their user's consent. */
  written(servers: ReadonlyMap<string, "written" | "removed">): Promise<void>;
  /** The next lists of a server are the first ones: another user may have signed in. */
  startAnew(server: string): Promise<void>;
  /** What is configured, or what was accepted, may be something else by now. */
  forget(): void;
}

interface PinsOptions {
  readonly store: PinStore;
  readonly of: ConfiguredFile;
  readonly lock?: Lock | undefined;
  /** What a server's entry says of pins. */
  readonly settings: (server: string) => PinSettings | undefined;
  readonly layers: () => readonly Pick<Layer, "origin" | "preset">[];
  /** What was known of a server's tools before they were held to anything. */
  readonly known: (server: string) => Promise<readonly Tool[] | undefined>;
  /** Something that a client should hear of. */
  tell(server: string, message: string): void;
  /** Servers that nobody was asked about count as accepted. */
  onAccepted(message: string): void;
  /** Tools are not as they were accepted: before and after. */
  onChanged(server: string, before: readonly Tool[], after: readonly Tool[]): Promise<void>;
  /** These tools are shown so from now on; those without a definition are not shown any more. */
  redefine(server: string, tools: ReadonlyMap<string, Tool | undefined>): Promise<void>;
}

export function createPins(options: PinsOptions): Pins {
  const { store, of, lock, settings } = options;
  const servers = createServerPins({
    ...{ store, of, lock },
    onAccepted: (names) => options.onAccepted(acceptedText(names, of)),
  });
  const stops = createStops(store, servers, lock !== undefined);
  const mode = (server: string): PinMode => pinModeOf(settings(server), of.origin, options.layers());
  const standing = async (server: string) => servers.peek(server) ?? (await servers.load()).get(server);
  const keyOf = async (server: string) => (await standing(server))?.key;
  const lists = createHeldLists({
    ...{ store, stops, lock, keyOf, mode },
    // A file that lies in a folder, which may be anybody's, loosens nothing.
    ignore: (server) => (of.origin === "user" && settings(server)?.ignore) || {},
    known: options.known,
    tell: options.tell,
    onChanged: options.onChanged,
  });
  const all: Pins["all"] = async (server) => {
    const key = await keyOf(server);
    if (key === undefined) return [];
    const found = await Promise.all(definitionKinds.map((kind) => store.list(key, kind)));
    return found.flatMap((list) => (list ? [...list.pins.values()] : []));
  };
  /** Takes what a person said about pins; answers how many still were as they saw them. */
  const decide = async ({ name, key }: ServerStanding, pins: readonly Pin[], after: (pin: Pin) => Pin) => {
    const taken: Pin[] = [];
    for (const pin of pins) if (await store.decide(key, pin, after(pin))) taken.push(after(pin));
    const tools = taken.filter(({ kind }) => kind === "tool");
    if (tools.length > 0) await options.redefine(name, new Map(tools.map((pin) => [pin.name, shownTool(pin)])));
    stops.forget();
    return taken.length;
  };
  return {
    ...{ servers, lock, all, mode, ...lists },
    async open(server) {
      await stops.ready();
      const found = lock ? stops.of(server) : await all(server);
      return found.filter(({ state }) => state !== "accepted");
    },
    async accept(server, pins, by) {
      if (server.state !== "accepted") await servers.accept([server], by);
      const now = Date.now();
      return decide(server, pins, (pin) => {
        const accepted = pin.seen ?? pin.accepted;
        return accepted ? { ...acceptedPin(accepted, now, by), recent: pin.recent } : pin;
      });
    },
    block: (server, pins, decidedBy) =>
      decide(server, pins, (pin) => ({ ...pin, state: "blocked", decidedAt: Date.now(), decidedBy })),
    async mayStart(server) {
      const found = await standing(server);
      const refusal = found && serverRefusal(found, of.file);
      if (refusal) throw refusal;
    },
    stop: (server, kind, name) => stops.find(server, kind, name, mode(server)),
    ready: stops.ready,
    async written(changed) {
      const found = await servers.load();
      const accepted = [...changed].flatMap(([name, what]) => (what === "written" ? (found.get(name) ?? []) : []));
      await servers.accept(
        accepted.filter(({ state }) => state === "unaccepted" || state === "changed"),
        "you, when it was written into the file",
      );
      await servers.drop([...changed].flatMap(([name, what]) => (what === "removed" ? [name] : [])));
    },
    async startAnew(server) {
      const key = await keyOf(server);
      if (key !== undefined) await store.startAnew(key);
      stops.forget();
    },
    forget() {
      servers.forget();
      stops.forget();
    },
  };
}

const definitionKinds = ["tool", "prompt", "template", "instructions"] as const;

function shownTool({ state, accepted }: Pin): Tool | undefined {
  return state === "accepted" && accepted ? toolOf(accepted, accepted.name) : undefined;
}
