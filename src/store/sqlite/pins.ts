import { hash } from "node:crypto";
import { appendFileSync, mkdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Definition, DefinitionKind } from "../../policy/pins/definition.ts";
import type { Pin, PinState } from "../../policy/pins/pin.ts";
import type { PinStore, ServerPin } from "../../servers/pins/pin-store.ts";
import { isFields } from "../../system/fields.ts";
import type { Database, Value } from "./database.ts";
import { fromStored, toStored } from "./exact-text.ts";

export function createPins(database: Database, principal: string): PinStore {
  const changes = changeMark(database);
  const put = (key: string, pin: Pin): void => void database.run(upsertPin, valuesOf(principal, key, pin));
  return {
    ...serverPins(database, principal, changes),
    async usedBefore(identities) {
      const rows = database.all<{ identity: string }>(selectUsedBefore, [JSON.stringify(identities)]);
      return new Set(rows.map(({ identity }) => identity));
    },
    async list(key, kind) {
      const found = database.get<{ listed: string | null }>(selectList, [principal, key, kind]);
      const rows = database.all<PinRow>(selectPins, [principal, key, kind]);
      if (!found && rows.length === 0) return undefined;
      // Pins without their list are what is left of it, and no reason to accept the next one.
      return {
        listed: found ? (found.listed ?? undefined) : "",
        pins: new Map(rows.map(pinOf).map((pin) => [pin.name, pin])),
      };
    },
    async stops(keys) {
      const rows = database.all<PinRow & { server: string }>(selectStops, [principal, JSON.stringify(keys)]);
      const found = new Map<string, Pin[]>();
      for (const row of rows) found.set(row.server, [...(found.get(row.server) ?? []), pinOf(row)]);
      return found;
    },
    async keep(key, kind, pins, listed) {
      database.transaction(() => {
        for (const pin of pins) put(key, pin);
        if (listed !== undefined) database.run(upsertList, [principal, key, kind, listed]);
      });
      if (pins.length > 0) changes.tell();
    },
    async decide(key, before, after) {
      const { kind, name, state, seen } = before;
      const isTaken = database.transaction(() => {
        const row = database.get<PinRow>(selectPin, [principal, key, kind, toStored(name)]);
        if (!row || row.state !== state || (row.seen_hash ?? undefined) !== (seen && textOf(seen).hash)) return false;
        put(key, after);
        return true;
      });
      if (isTaken) changes.tell();
      return isTaken;
    },
    async startAnew(key) {
      database.transaction(() => {
        database.run(deletePins, [principal, key]);
        for (const kind of kinds) database.run(upsertList, [principal, key, kind, null]);
      });
      changes.tell();
    },
    mark: changes.mark,
  };
}

const kinds: readonly DefinitionKind[] = ["tool", "prompt", "template", "instructions"];

function serverPins(
  database: Database,
  principal: string,
  changes: ReturnType<typeof changeMark>,
): Pick<PinStore, "servers" | "putServers"> {
  return {
    async servers(file) {
      const rows = database.all<ServerRow>(selectServers, [principal, file]);
      return new Map(rows.map((row) => [row.name, serverPinOf(row)]));
    },
    async putServers(file, pins) {
      database.transaction(() => {
        for (const [name, pin] of pins) {
          if (!pin) database.run(deleteServer, [principal, file, name]);
          else {
            const written = pin.written === undefined ? null : JSON.stringify(pin.written);
            database.run(upsertServer, [principal, file, name, pin.state, written, pin.decidedAt, pin.decidedBy]);
          }
        }
      });
      if (pins.size > 0) changes.tell();
    },
  };
}

/** A file that grows by a byte with every change, so that other processes need not ask the database before each call. */
function changeMark(database: Database) {
  const folder = join(dirname(database.path), "changes");
  const file = join(folder, "pins");
  let own = 0;
  return {
    tell(): void {
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        appendFileSync(file, ".", { mode: 0o600 });
        own++;
      } catch {} // a full disk: the others find out at their next start
    },
    /** How often others have changed something. */
    mark: (): string => String((statSync(file, { throwIfNoEntry: false })?.size ?? 0) - own),
  };
}

interface ServerRow {
  readonly name: string;
  readonly state: string;
  readonly written: string | null;
  readonly decided_at: number;
  readonly decided_by: string;
}

function serverPinOf({ state, written, decided_at: decidedAt, decided_by: decidedBy }: ServerRow): ServerPin {
  const read = written === null ? undefined : parsed(written);
  const isWhole = state === "blocked" ? written === null || isFields(read) : state === "accepted" && isFields(read);
  if (!isWhole) return { state: "unreadable", decidedAt, decidedBy };
  return { state: state as ServerPin["state"], decidedAt, decidedBy, ...(isFields(read) && { written: read }) };
}

interface PinRow {
  readonly kind: string;
  readonly name: string | Uint8Array;
  readonly state: string;
  readonly hash: string | null;
  readonly accepted: string | null;
  readonly seen_hash: string | null;
  readonly seen: string | null;
  readonly why: string;
  readonly recent: string;
  readonly decided_at: number;
  readonly decided_by: string;
}

function pinOf(row: PinRow): Pin {
  const { state, decided_at: decidedAt, decided_by: decidedBy } = row;
  const kind = row.kind as DefinitionKind;
  const name = fromStored(row.name);
  const accepted = definitionOf(kind, name, row.accepted, row.hash);
  const seen = definitionOf(kind, name, row.seen, row.seen_hash);
  const [why, recent] = [parsed(row.why), parsed(row.recent)];
  const isWhole = accepted !== "unreadable" && seen !== "unreadable" && Array.isArray(why) && Array.isArray(recent);
  if (isWhole && isStateOf(state, accepted))
    return { kind, name, state, accepted, seen, why, recent, decidedAt, decidedBy };
  return { kind, name, state: "unreadable", why: [], recent: [], decidedAt, decidedBy };
}

function isStateOf(state: string, accepted: Definition | undefined): state is PinState {
  if (state === "accepted" || state === "changed") return accepted !== undefined;
  return state === "new" || state === "blocked";
}

/** What does not fit its hash is not what was written. */
function definitionOf(
  kind: DefinitionKind,
  name: string,
  text: string | null,
  kept: string | null,
): Definition | "unreadable" | undefined {
  if (text === null) return kept === null ? undefined : "unreadable";
  const parts = textHash(kind, name, text) === kept ? parsed(text) : undefined;
  return isFields(parts) ? { kind, name, parts } : "unreadable";
}

/** As it is kept: in the order in which the server said it. */
function textOf({ kind, name, parts }: Definition): { readonly text: string; readonly hash: string } {
  const text = JSON.stringify(parts);
  return { text, hash: textHash(kind, name, text) };
}

function textHash(kind: DefinitionKind, name: string, text: string): string {
  return hash("sha256", JSON.stringify([kind, name]) + text);
}

function parsed(text: string): unknown {
  if (text === "[]") return [];
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function valuesOf(principal: string, key: string, pin: Pin): Value[] {
  const { kind, name, state, why, recent, decidedAt, decidedBy } = pin;
  const [accepted, seen] = [pin.accepted && textOf(pin.accepted), pin.seen && textOf(pin.seen)];
  return [
    ...[principal, key, kind, toStored(name), state],
    ...[accepted?.hash ?? null, accepted?.text ?? null, seen?.hash ?? null, seen?.text ?? null],
    ...[JSON.stringify(why), JSON.stringify(recent), decidedAt, decidedBy],
  ];
}

const selectServers =
  "SELECT name, state, written, decided_at, decided_by FROM server_pins WHERE principal = ? AND file = ?";

const upsertServer = `
  INSERT INTO server_pins (principal, file, name, state, written, decided_at, decided_by) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (principal, file, name) DO UPDATE SET state = excluded.state, written = excluded.written,
    decided_at = excluded.decided_at, decided_by = excluded.decided_by`;

const deleteServer = "DELETE FROM server_pins WHERE principal = ? AND file = ? AND name = ?";

const selectUsedBefore = "SELECT identity FROM used_before_pins WHERE identity IN (SELECT value FROM json_each(?))";

const selectList = "SELECT listed FROM pinned_lists WHERE principal = ? AND server = ? AND kind = ?";

const upsertList = `
  INSERT INTO pinned_lists (principal, server, kind, listed) VALUES (?, ?, ?, ?)
  ON CONFLICT (principal, server, kind) DO UPDATE SET listed = excluded.listed`;

const columns = "kind, name, state, hash, accepted, seen_hash, seen, why, recent, decided_at, decided_by";

const selectPins = `SELECT ${columns} FROM definition_pins WHERE principal = ? AND server = ? AND kind = ?`;

const selectStops = `
  SELECT server, ${columns} FROM definition_pins
  WHERE principal = ? AND state <> 'accepted' AND server IN (SELECT value FROM json_each(?))`;

const selectPin = `${selectPins} AND name = ?`;

const upsertPin = `
  INSERT OR REPLACE INTO definition_pins (principal, server, ${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

const deletePins = "DELETE FROM definition_pins WHERE principal = ? AND server = ? AND state <> 'blocked'";
