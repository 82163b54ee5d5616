import { randomBytes } from "node:crypto";
import type { SessionKey, SessionOwner } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { Sandbox } from "../sandbox/engine.ts";
import { keepRecent } from "../system/keep-recent.ts";
import type { Declared } from "./compiled.ts";
import { createKeptModules, type KeptModules } from "./modules/kept-modules.ts";

/** Where a session lives: its packages and variables are those of the environment that it was started in. */
export interface SessionPlace {
  readonly environment?: string | undefined;
}

/** A session as it is known here, with those who wait for it. */
export interface SessionEntry extends SessionKey, SessionPlace {
  readonly realm: string;
  readonly key: string;
  /** The last work in line. */
  line: Promise<unknown>;
  /** The run that has it and waits for a person. */
  heldBy?: string | undefined;
  /** Those in line, to be told of that. */
  readonly behind: Set<(run: string) => void>;
  waiting: number;
  sandbox?: Sandbox | undefined;
  kept: readonly Declared[];
  modules: KeptModules;
  /** The ids of its runs, the newest first. */
  runs: readonly string[];
  idle?: NodeJS.Timeout | undefined;
  lastUsed: number;
  isEnding: boolean;
}

/** Which sessions there are, under which names, and which have ended without their client knowing. */
export interface SessionBook {
  /** The session of that name, entered if there is none. Throws when it is lost, elsewhere, or there is no room. */
  find(wanted: SessionKey & SessionPlace): SessionEntry;
  get(key: SessionKey): SessionEntry | undefined;
  /** Those that a client may know of. */
  of(owner: SessionOwner): SessionEntry[];
  /** `why` is told at its next use. */
  end(entry: SessionEntry, why?: string): void;
  endAll(): void;
  forgetLosses(owner: SessionOwner): void;
}

export interface SessionBookOptions {
  /** The most of one client, which then loses the one that it has not used for the longest time, and of all together. */
  readonly mostOfOne?: number;
  readonly most?: number;
  /** Whether they are common to all clients of a principal, by name. */
  readonly isShared?: boolean | undefined;
}

export function createSessionBook({ mostOfOne = 16, most = 64, isShared }: SessionBookOptions): SessionBook {
  const entries = new Map<string, SessionEntry>();
  const losses = createLosses();
  const isUnknown = ({ isAnonymous }: SessionOwner): boolean => isAnonymous === true && !isShared;
  /** Those whose sessions are found under the same names. */
  const realmOf = ({ principal, id, isAnonymous }: SessionOwner): string =>
    JSON.stringify([principal, isShared ? "shared" : isAnonymous ? "anonymous" : `client ${id}`]);
  const end = (entry: SessionEntry, why?: string): void => {
    clearTimeout(entry.idle);
    entries.delete(entry.key);
    entry.sandbox?.kill();
    if (why !== undefined) losses.add(entry, why);
  };
  return {
    find(wanted) {
      const { owner, name, environment } = wanted;
      const realm = realmOf(owner);
      const key = keyOf(realm, wanted);
      const known = entries.get(key);
      if (known && known.environment !== environment) throw elsewhere(known);
      if (known && !(known.waiting === 0 && known.sandbox?.ended)) return known;
      if (known) end(known, "its process ended");
      const never = isUnknown(owner) && isGiven(name) ? "it has ended, or there never was one" : undefined;
      const why = losses.take({ realm, key }) ?? never;
      if (why !== undefined) throw lost(name, why, isUnknown(owner));
      const leaving = makeRoom(owner, [...entries.values()], { most, mostOfOne });
      if (leaving) end(leaving.entry, leaving.why);
      const entry = newEntry(realm, isUnknown(owner) ? { ...wanted, name: givenName(name) } : wanted);
      entries.set(entry.key, entry);
      return entry;
    },
    get: (key) => entries.get(keyOf(realmOf(key.owner), key)),
    of: (owner) => (isUnknown(owner) ? [] : [...entries.values()].filter(({ realm }) => realm === realmOf(owner))),
    end,
    endAll() {
      for (const entry of entries.values()) end(entry);
    },
    forgetLosses: (owner) => losses.forget(realmOf(owner)),
  };
}

function keyOf(realm: string, { name, language }: Pick<SessionKey, "name" | "language">): string {
  return `${realm} ${language} ${name}`;
}

function newEntry(realm: string, { owner, name, language, environment }: SessionKey & SessionPlace): SessionEntry {
  return {
    owner,
    name,
    language,
    environment,
    realm,
    key: keyOf(realm, { name, language }),
    line: Promise.resolve(),
    behind: new Set(),
    waiting: 0,
    kept: [],
    runs: [],
    modules: createKeptModules(),
    lastUsed: performance.now(),
    isEnding: false,
  };
}

/** What must end for one more session of a client: another of its own, since nobody loses one for somebody else. */
function makeRoom(
  { principal, id }: SessionOwner,
  entries: readonly SessionEntry[],
  { most, mostOfOne }: { readonly most: number; readonly mostOfOne: number },
): { readonly entry: SessionEntry; readonly why: string } | undefined {
  const own = entries.filter(({ owner }) => owner.principal === principal && owner.id === id);
  if (own.length < mostOfOne && entries.length < most) return undefined;
  const limit =
    own.length < mostOfOne
      ? `at most ${most} are kept for all clients`
      : `at most ${mostOfOne} are kept for one client`;
  const free = own.filter(({ waiting }) => waiting === 0);
  const [oldest] = free.sort((left, right) => left.lastUsed - right.lastUsed);
  if (oldest) return { entry: oldest, why: `it made room for another one, since ${limit}` };
  throw new CoordinatorError("session_limit", `There is no room for another session: ${limit}`, {
    hint: "Nothing has run. Wait until one ends, or run without a session.",
  });
}

/** How many ended sessions of a realm are remembered, so that their next use can be told. */
const rememberedLosses = 100;

/** Why sessions ended whose client does not know it yet. */
function createLosses() {
  const realms = new Map<string, Map<string, string>>();
  return {
    add({ realm, key }: SessionEntry, why: string): void {
      const own = realms.get(realm) ?? new Map<string, string>();
      keepRecent(own, key, why, rememberedLosses);
      realms.set(realm, own);
    },
    /** Told once. */
    take({ realm, key }: Pick<SessionEntry, "realm" | "key">): string | undefined {
      const own = realms.get(realm);
      const why = own?.get(key);
      own?.delete(key);
      if (own?.size === 0) realms.delete(realm);
      return why;
    },
    forget(realm: string): void {
      realms.delete(realm);
    },
  };
}

/** Without letters and digits that are taken for one another. 13 of them are 65 bits. */
const letters = "abcdefghijkmnpqrstuvwxyz23456789";
const givenShape = new RegExp(`-[${letters}]{13}$`);
const mostWanted = 100;

/** A name for a session that only those know who were told. */
function givenName(wanted: string): string {
  const suffix = [...randomBytes(13)].map((byte) => letters[byte % letters.length]).join("");
  return `${wanted.slice(0, mostWanted)}-${suffix}`;
}

function isGiven(name: string): boolean {
  return givenShape.test(name);
}

export function lost(name: string, why: string, isAnonymous: boolean): CoordinatorError {
  const again = isAnonymous ? "Start another one, with a name such as main," : "Run again to start a new one,";
  return new CoordinatorError("session_lost", `The session "${name}" is gone, with everything it held: ${why}`, {
    hint: `Nothing has run. ${again} and define what the code needs.`,
  });
}

function elsewhere({ name, environment }: SessionEntry): CoordinatorError {
  const [place, way] =
    environment === undefined
      ? ["without an environment and stays without one", "Name no environment"]
      : [`in the environment "${environment}" and stays in it`, "Name that environment"];
  return new CoordinatorError("input_invalid", `The session "${name}" was started ${place}`, {
    hint: `Nothing has run. ${way}, or use another session.`,
  });
}
