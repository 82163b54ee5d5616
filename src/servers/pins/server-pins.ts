import type { WrittenServer } from "../../config/written-server.ts";
import type { Lock } from "../../policy/pins/lock-schema.ts";
import { writtenHash } from "../../policy/pins/written-server.ts";
import type { PinStore, ServerPin } from "./pin-store.ts";

/** How a server stands to what was accepted of it; all but the first are not started. */
export type ServerState = "accepted" | "unaccepted" | "changed" | "blocked" | "unreadable" | "not in the lock";

/** A server as its file has it now, and as it was accepted. */
export interface ServerStanding {
  readonly name: string;
  readonly state: ServerState;
  readonly written: WrittenServer;
  /** Under which its definitions are pinned. */
  readonly key: string;
  readonly pin?: ServerPin | undefined;
}

export interface ConfiguredFile {
  readonly file: string;
  readonly origin: "user" | "project";
  /** Its servers by name, as it has them now. */
  servers(): ReadonlyMap<string, WrittenServer>;
  /** The hash under which a server is known that was in use before there were pins. */
  identity(server: string): string;
}

export interface ServerPins {
  /** As far as it is known at once; undefined until `load` has come back, and for what is not configured. */
  peek(server: string): ServerStanding | undefined;
  /** Reads what was accepted; servers that count as accepted without anybody's word are written down. */
  load(): Promise<ReadonlyMap<string, ServerStanding>>;
  /** Another process, or the file, may say something else by now. */
  forget(): void;
  /** A person wants them to be started as the file has them. */
  accept(servers: readonly ServerStanding[], by: string): Promise<void>;
  block(server: ServerStanding, by: string): Promise<void>;
  /** They are not in the file any more; what a person blocked stays blocked. */
  drop(servers: readonly string[]): Promise<void>;
}

interface ServerPinsOptions {
  readonly store: PinStore;
  readonly of: ConfiguredFile;
  /** Nothing else counts where there is one. */
  readonly lock?: Lock | undefined;
  /** Servers of the user's own file were accepted as they are, or ones that have been in use here before. */
  onAccepted(servers: readonly string[]): void;
}

export function createServerPins({ store, of, lock, onAccepted }: ServerPinsOptions): ServerPins {
  const keys = new WeakMap<WrittenServer, string>();
  let standings: ReadonlyMap<string, ServerStanding> | undefined;
  let loading: Promise<ReadonlyMap<string, ServerStanding>> | undefined;

  const standingOf = (name: string, written: WrittenServer, pin: ServerPin | undefined): ServerStanding => {
    const key = keys.get(written) ?? writtenHash(written);
    keys.set(written, key);
    return { name, written, key, pin, state: lock ? lockedState(lock, name, key, pin) : stateOf(key, pin) };
  };
  const read = async (): Promise<ReadonlyMap<string, ServerStanding>> => {
    const servers = of.servers();
    const pins = await store.servers(of.file);
    const all = [...servers].map(([name, written]) => standingOf(name, written, pins.get(name)));
    const unasked = lock ? [] : await acceptedUnasked(all.filter(({ state }) => state === "unaccepted"));
    if (unasked.length > 0) {
      const by = of.origin === "user" ? "your own file" : "was in use before there were pins";
      await write(unasked, by);
      onAccepted(unasked.map(({ name }) => name));
    }
    const now = new Set(unasked.map(({ name }) => name));
    return new Map(all.map((one) => [one.name, now.has(one.name) ? { ...one, state: "accepted" } : one]));
  };
  /** What a user's own file has is the user's word; a file that lies in a folder may be anybody's. */
  const acceptedUnasked = async (fresh: readonly ServerStanding[]): Promise<readonly ServerStanding[]> => {
    if (of.origin === "user" || fresh.length === 0) return fresh;
    const used = await store.usedBefore(fresh.map(({ name }) => of.identity(name)));
    return fresh.filter(({ name }) => used.has(of.identity(name)));
  };
  const write = (servers: readonly ServerStanding[], decidedBy: string): Promise<void> => {
    const pin = (written: WrittenServer) => ({ state: "accepted" as const, written, decidedAt: Date.now(), decidedBy });
    return store.putServers(of.file, new Map(servers.map(({ name, written }) => [name, pin(written)])));
  };
  const forget = (): void => {
    standings = undefined;
    loading = undefined;
  };
  return {
    peek: (server) => standings?.get(server),
    load() {
      if (loading) return loading;
      const reading = read().then((all) => {
        // What was forgotten meanwhile is read again by the next.
        if (loading === reading) standings = all;
        return all;
      });
      loading = reading;
      reading.catch(() => loading === reading && forget());
      return reading;
    },
    forget,
    async accept(servers, by) {
      await write(servers, by);
      forget();
    },
    async block({ name, pin }, decidedBy) {
      const blocked = { state: "blocked" as const, written: pin?.written, decidedAt: Date.now(), decidedBy };
      await store.putServers(of.file, new Map([[name, blocked]]));
      forget();
    },
    async drop(names) {
      const pins = await store.servers(of.file);
      const dropped = names.filter((name) => pins.has(name) && pins.get(name)?.state !== "blocked");
      await store.putServers(of.file, new Map(dropped.map((name) => [name, undefined])));
      forget();
    },
  };
}

function stateOf(key: string, pin: ServerPin | undefined): ServerState {
  if (pin === undefined) return "unaccepted";
  if (pin.state !== "accepted") return pin.state;
  return pin.written !== undefined && writtenHash(pin.written) === key ? "accepted" : "changed";
}

function lockedState({ servers }: Lock, name: string, key: string, pin: ServerPin | undefined): ServerState {
  if (pin?.state === "blocked") return "blocked";
  return Object.hasOwn(servers, name) && servers[name]?.server === key ? "accepted" : "not in the lock";
}
