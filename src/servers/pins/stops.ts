import type { Pin, PinMode } from "../../policy/pins/pin.ts";
import type { PinStore } from "./pin-store.ts";
import type { ServerPins } from "./server-pins.ts";

/** What of each server is not accepted as it is, in memory: looked at before every call. */
export interface Stops {
  /** A promise only when something is to be read first. */
  ready(): undefined | Promise<unknown>;
  of(server: string): readonly Pin[];
  find(server: string, kind: Pin["kind"], name: string, mode: PinMode): Pin | undefined;
  /** These are the pins of one kind of a server from now on. */
  put(server: string, kind: Pin["kind"], pins: readonly Pin[]): void;
  forget(): void;
}

/** With a lock it alone counts, as it is put here, and what a person has blocked. */
export function createStops(store: PinStore, servers: ServerPins, isLocked: boolean): Stops {
  const locked = new Map<string, Map<string, Pin>>();
  let stops: Map<string, Map<string, Pin>> | undefined;
  let loading: Promise<unknown> | undefined;
  let changes = 0;
  const read = async (): Promise<Map<string, Map<string, Pin>>> => {
    const standings = [...(await servers.load()).values()];
    const found = await store.stops(standings.map(({ key }) => key));
    return new Map(
      standings.map(({ name, key }) => [name, new Map((found.get(key) ?? []).map((pin) => [idOf(pin), pin]))]),
    );
  };
  /** What was forgotten, or kept, while it was read is read again. */
  const fill = async (): Promise<void> => {
    for (let turn = -1; turn !== changes; ) {
      turn = changes;
      const found = await read();
      if (turn === changes) stops = found;
    }
  };
  return {
    ready() {
      if (stops) return undefined;
      loading ??= fill().finally(() => {
        loading = undefined;
      });
      return loading;
    },
    of: (server) => [...((isLocked ? locked : stops)?.get(server)?.values() ?? [])],
    find(server, kind, name, mode) {
      const id = idOf({ kind, name });
      const found = stops?.get(server)?.get(id);
      if (found?.state === "blocked") return found;
      if (isLocked) return locked.get(server)?.get(id);
      return mode === "note" ? undefined : found;
    },
    put(server, kind, pins) {
      const all = isLocked ? locked : stops;
      if (!all) changes++;
      const others = [...(all?.get(server)?.values() ?? [])].filter((pin) => pin.kind !== kind);
      const stopped = pins.filter(({ state }) => state !== "accepted");
      all?.set(server, new Map([...others, ...stopped].map((pin) => [idOf(pin), pin])));
    },
    forget() {
      stops = undefined;
      changes++;
    },
  };
}

function idOf({ kind, name }: Pick<Pin, "kind" | "name">): string {
  return `${kind} ${name}`;
}
