import { type Definition, type DefinitionKind, hashOf } from "../../../src/policy/pins/definition.ts";
import type { Pin } from "../../../src/policy/pins/pin.ts";
import type { PinStore, ServerPin } from "../../../src/servers/pins/pin-store.ts";

interface Kept {
  readonly principal: string;
  readonly key: string;
  readonly kind: DefinitionKind;
  readonly pins: Map<string, Pin>;
  /** Undefined awaits the first list. */
  listed: string | undefined;
}

/** What the pins of all owners share. */
export function keptPins() {
  return { servers: new Map<string, ServerPin>(), lists: [] as Kept[], usedBefore: new Set<string>(), changes: 0 };
}

const kinds: readonly DefinitionKind[] = ["tool", "prompt", "template", "instructions"];

export function createPinsInMemory({ shared = keptPins(), principal = "local" } = {}): PinStore {
  let own = 0;
  const idOf = (file: string, name: string) => JSON.stringify([principal, file, name]);
  const tell = () => {
    shared.changes++;
    own++;
  };
  const find = (key: string, kind: DefinitionKind) =>
    shared.lists.find((one) => one.principal === principal && one.key === key && one.kind === kind);
  const make = (key: string, kind: DefinitionKind): Kept => {
    const made = { principal, key, kind, pins: new Map<string, Pin>(), listed: "" };
    shared.lists.push(made);
    return made;
  };
  return {
    async servers(file) {
      const found = [...shared.servers].map(([id, pin]) => [JSON.parse(id) as string[], pin] as const);
      const theirs = found.filter(([[whose, where]]) => whose === principal && where === file);
      return new Map(theirs.map(([[, , name = ""], pin]) => [name, pin]));
    },
    async putServers(file, pins) {
      for (const [name, pin] of pins) {
        if (pin) shared.servers.set(idOf(file, name), pin);
        else shared.servers.delete(idOf(file, name));
      }
      if (pins.size > 0) tell();
    },
    usedBefore: async (identities) => new Set(identities.filter((one) => shared.usedBefore.has(one))),
    async list(key, kind) {
      const found = find(key, kind);
      return found && { listed: found.listed, pins: new Map(found.pins) };
    },
    async stops(keys) {
      const theirs = shared.lists.filter((one) => one.principal === principal && keys.includes(one.key));
      const stops = new Map<string, Pin[]>();
      for (const { key, pins } of theirs) {
        const stopped = [...pins.values()].filter(({ state }) => state !== "accepted");
        if (stopped.length > 0) stops.set(key, [...(stops.get(key) ?? []), ...stopped]);
      }
      return stops;
    },
    async keep(key, kind, pins, listed) {
      const into = find(key, kind) ?? make(key, kind);
      for (const pin of pins) into.pins.set(pin.name, pin);
      if (listed !== undefined) into.listed = listed;
      if (pins.length > 0) tell();
    },
    async decide(key, before, after) {
      const pins = find(key, before.kind)?.pins;
      const now = pins?.get(before.name);
      if (!pins || now?.state !== before.state || hashed(now.seen) !== hashed(before.seen)) return false;
      pins.set(before.name, after);
      tell();
      return true;
    },
    async startAnew(key) {
      for (const kind of kinds) {
        const list = find(key, kind) ?? make(key, kind);
        for (const [name, { state }] of list.pins) if (state !== "blocked") list.pins.delete(name);
        list.listed = undefined;
      }
      tell();
    },
    mark: () => String(shared.changes - own),
  };
}

function hashed(definition: Definition | undefined): string {
  return definition ? hashOf(definition) : "";
}
