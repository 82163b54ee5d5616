import { randomBytes } from "node:crypto";
import type { Client, SessionKey } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { Sandbox } from "../sandbox/engine.ts";
import type { Declared } from "./compiled.ts";
import { createKeptModules, type KeptModules } from "./modules/kept-modules.ts";

/** Guest state that outlives its run: a sandbox of its own, and what is known of the names in it. */
export interface Session {
  /** What later runs call it. Not what was asked for where its client is anonymous. */
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly kept: readonly Declared[];
  /** The modules that its runs have imported. */
  readonly modules: KeptModules;
  /** Whether a later run can go on with it. */
  readonly lasts: boolean;
  /** What a run has defined stays known to the next one's check. */
  keep(declared: readonly Declared[]): void;
}

/** Whom sessions belong to that no client has asked for: a command, a program that uses us as its library. */
export const thisProcess: Client = { id: "" };

/** Where a session lives: its packages and variables are those of the environment that it was started in. */
interface SessionPlace {
  readonly environment?: string | undefined;
}

/**
 * Sessions by client, name and language. Each is a process of its own; none sees another, and no client another's. A
 * client that cannot be told from others by its requests has the sessions that it knows the names of, and nobody can guess
 * those.
 */
export interface Sessions {
  /**
   * Works with a session, started when the client has none of that name; one at a time, in the order of asking. Throws
   * session_lost, once, when the session has ended since its last use: what it held is gone, and nothing has run.
   */
  use<T>(
    key: SessionKey & SessionPlace,
    start: () => Promise<Sandbox>,
    work: (session: Session) => Promise<T>,
    /** How to wait for its turn, where that is not at once. */
    waiting?: (turn: Promise<unknown>) => Promise<unknown>,
  ): Promise<T>;
  /** The client's own. */
  list(owner: Client): readonly Pick<SessionKey, "name" | "language">[];
  /** Ends a session of the client, after the run that is under way in it. False when there is none. */
  end(key: SessionKey): boolean;
  /** The client has gone: ends all that it has, each after the run in it. */
  endAll(owner: Client): void;
  close(): void;
}

export interface SessionsOptions {
  /** How long one is kept without being used; 10 minutes. */
  readonly idleMs?: number;
  /** The most of one client, which then loses the one that it has not used for the longest time, and of all together. */
  readonly mostOfOne?: number;
  readonly most?: number;
  /** Whether they are common to all clients, by name. */
  readonly isShared?: boolean | undefined;
}

interface Entry extends SessionKey, SessionPlace {
  /** The last work in line. */
  line: Promise<unknown>;
  waiting: number;
  sandbox?: Sandbox | undefined;
  kept: readonly Declared[];
  modules: KeptModules;
  idle?: NodeJS.Timeout | undefined;
  lastUsed: number;
  isEnding: boolean;
}

/** The sessions that are found under the same names. */
interface Realm {
  readonly entries: Map<string, Entry>;
  /** Why sessions ended whose client does not know it yet. */
  readonly losses: Map<string, string>;
}

/** How many ended sessions are remembered, so that their next use can be told. */
const rememberedLosses = 100;
/** How many runs wait for one session. */
const mostWaiting = 256;

export function createSessions({
  idleMs = 10 * 60_000,
  mostOfOne = 16,
  most = 64,
  isShared,
}: SessionsOptions): Sessions {
  const realms = new Map<string, Realm>();
  const realmId = ({ id, isAnonymous }: Client): string =>
    isShared ? "shared" : isAnonymous ? "anonymous" : `client ${id}`;
  const realmOf = (owner: Client): Realm => realms.get(realmId(owner)) ?? { entries: new Map(), losses: new Map() };
  const all = (): Entry[] => [...realms.values()].flatMap(({ entries }) => [...entries.values()]);

  const end = (entry: Entry, why?: string): void => {
    const { entries, losses } = realmOf(entry.owner);
    clearTimeout(entry.idle);
    entries.delete(keyOf(entry));
    entry.sandbox?.kill();
    if (why !== undefined) losses.set(keyOf(entry), why);
    const [oldest] = losses.keys();
    if (losses.size > rememberedLosses && oldest !== undefined) losses.delete(oldest);
    if (entries.size === 0 && losses.size === 0) realms.delete(realmId(entry.owner));
  };
  /** Makes room for one more of a client, by ending another of its own: nobody loses one for somebody else. */
  const makeRoom = (owner: Client): void => {
    const entries = all();
    const own = entries.filter((entry) => entry.owner.id === owner.id);
    if (own.length < mostOfOne && entries.length < most) return;
    const free = own.filter(({ waiting }) => waiting === 0);
    const [oldest] = free.sort((left, right) => left.lastUsed - right.lastUsed);
    const limit = own.length < mostOfOne ? `${most} of all clients together` : `${mostOfOne} of one client`;
    if (oldest) return end(oldest, `it made room for another one, ${limit} are kept at most`);
    throw new CoordinatorError("session_limit", `There is room for no more sessions: ${limit} are kept at most`, {
      hint: "Nothing has run. Wait until one ends, or run without a session.",
    });
  };
  const find = ({ owner, name: wanted, language, environment }: SessionKey & SessionPlace): Entry => {
    const realm = realmOf(owner);
    const { entries, losses } = realm;
    const key = keyOf({ name: wanted, language });
    const known = entries.get(key);
    if (known && known.environment !== environment) throw elsewhere(known);
    if (known && !(known.waiting === 0 && known.sandbox?.ended)) return known;
    if (known) end(known, "its process ended");
    const isAnonymous = owner.isAnonymous === true && !isShared;
    const why =
      losses.get(key) ?? (isAnonymous && isGiven(wanted) ? "it has ended, or there never was one" : undefined);
    losses.delete(key);
    if (why !== undefined) throw lost(wanted, why, isAnonymous);
    makeRoom(owner);
    const entry: Entry = {
      owner,
      name: isAnonymous ? givenName(wanted) : wanted,
      language,
      environment,
      line: Promise.resolve(),
      waiting: 0,
      kept: [],
      modules: createKeptModules(),
      lastUsed: performance.now(),
      isEnding: false,
    };
    entries.set(keyOf(entry), entry);
    realms.set(realmId(owner), realm);
    return entry;
  };
  const settle = (entry: Entry): void => {
    entry.waiting--;
    entry.lastUsed = performance.now();
    if (entry.waiting > 0 || realmOf(entry.owner).entries.get(keyOf(entry)) !== entry) return;
    // A run that took its session with it has said so itself.
    if (entry.isEnding || !entry.sandbox || entry.sandbox.ended) return end(entry);
    const minutes = Math.round(idleMs / 60_000);
    entry.idle = setTimeout(() => end(entry, `it was not used for ${minutes} minutes`), idleMs).unref();
  };
  const endSoon = (entry: Entry): void => {
    if (entry.waiting > 0) entry.isEnding = true;
    else end(entry);
  };

  return {
    async use(key, start, work, waiting) {
      const entry = find(key);
      if (entry.waiting >= mostWaiting) throw tooMany(entry);
      const isFree = entry.waiting++ === 0;
      clearTimeout(entry.idle);
      const before = isFree || !waiting ? entry.line : waiting(entry.line);
      const turn = before.then(async () => {
        if (entry.sandbox?.ended) {
          entry.sandbox = undefined;
          entry.kept = [];
          entry.modules = createKeptModules();
          throw lost(entry.name, "the run before this one ended it", false);
        }
        entry.sandbox ??= await start();
        const { sandbox } = entry;
        return work({
          name: entry.name,
          sandbox,
          kept: entry.kept,
          modules: entry.modules,
          get lasts() {
            return !entry.isEnding && !sandbox.ended;
          },
          keep: (declared) => {
            entry.kept = merge(entry.kept, declared);
          },
        });
      });
      entry.line = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        settle(entry);
      }
    },
    list(owner) {
      if (owner.isAnonymous && !isShared) return [];
      return [...realmOf(owner).entries.values()].map(({ name, language }) => ({ name, language }));
    },
    end(key) {
      const entry = realmOf(key.owner).entries.get(keyOf(key));
      if (entry) endSoon(entry);
      return entry !== undefined;
    },
    endAll(owner) {
      if (isShared || owner.isAnonymous) return;
      const { entries, losses } = realmOf(owner);
      losses.clear();
      for (const entry of [...entries.values()]) endSoon(entry);
    },
    close() {
      for (const entry of all()) end(entry);
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

function lost(name: string, why: string, isAnonymous: boolean): CoordinatorError {
  const again = isAnonymous ? "Start another one, with a name such as main," : "Run again to start it anew,";
  return new CoordinatorError("session_lost", `The session "${name}" is gone, with all that it held: ${why}`, {
    hint: `Nothing has run. ${again} and define what the code needs.`,
  });
}

function tooMany({ name }: Entry): CoordinatorError {
  return new CoordinatorError("session_limit", `${mostWaiting} runs wait for the session "${name}" already`, {
    hint: "Nothing has run. Run it again when they have ended.",
  });
}

function elsewhere({ name, environment }: Entry): CoordinatorError {
  const place = environment === undefined ? "no environment" : `the environment "${environment}"`;
  return new CoordinatorError("input_invalid", `The session "${name}" was started in ${place} and stays in it`, {
    hint: "Nothing has run. Name that environment, or take another session.",
  });
}

function keyOf({ name, language }: Pick<SessionKey, "name" | "language">): string {
  return `${language} ${name}`;
}

/** A name defined again is what it was defined as last; a type and a value may share one. */
function merge(kept: readonly Declared[], declared: readonly Declared[]): Declared[] {
  const id = ({ name, isType }: Declared) => `${isType === true} ${name}`;
  return [...new Map([...kept, ...declared].map((entry) => [id(entry), entry])).values()];
}
