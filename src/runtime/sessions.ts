import { CoordinatorError } from "../errors.ts";
import type { Language, Sandbox } from "../sandbox/engine.ts";
import type { Declared } from "./compiled.ts";
import { createKeptModules, type KeptModules } from "./kept-modules.ts";

/** Guest state that outlives its run: a sandbox of its own, and what is known of the names in it. */
export interface Session {
  readonly sandbox: Sandbox;
  readonly kept: readonly Declared[];
  /** The modules that its runs have imported. */
  readonly modules: KeptModules;
  /** What a run has defined stays known to the next one's check. */
  keep(declared: readonly Declared[]): void;
}

export interface SessionKey {
  readonly name: string;
  readonly language: Language;
}

/** Sessions by name and language. Each is a process of its own; none sees another. */
export interface Sessions {
  /**
   * Works with a session, started when there is none of that name; one at a time, in the order of asking. Throws
   * session_lost, once, when the session has ended since its last use: what it held is gone, and nothing has run.
   */
  use<T>(key: SessionKey, start: () => Promise<Sandbox>, work: (session: Session) => Promise<T>): Promise<T>;
  list(): readonly SessionKey[];
  /** Ends a session, after the run that is under way in it. False when there is none. */
  end(key: SessionKey): boolean;
  close(): void;
}

export interface SessionsOptions {
  readonly idleMs: number;
  readonly most: number;
}

interface Entry extends SessionKey {
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

/** How many ended sessions are remembered, so that their next use can be told. */
const rememberedLosses = 100;

export function createSessions({ idleMs, most }: SessionsOptions): Sessions {
  const entries = new Map<string, Entry>();
  const losses = new Map<string, string>();

  const end = (key: string, entry: Entry, why?: string): void => {
    clearTimeout(entry.idle);
    entries.delete(key);
    entry.sandbox?.kill();
    if (why === undefined) return;
    losses.set(key, why);
    const [oldest] = losses.keys();
    if (losses.size > rememberedLosses && oldest !== undefined) losses.delete(oldest);
  };
  /** Makes room for one more by ending the session that nobody has used for the longest time. */
  const makeRoom = (): void => {
    if (entries.size < most) return;
    const free = [...entries].filter(([, { waiting }]) => waiting === 0);
    const [oldest] = free.sort(([, left], [, right]) => left.lastUsed - right.lastUsed);
    if (oldest) return end(...oldest, `it made room for another one, ${most} are kept at most`);
    throw new CoordinatorError("session_limit", `${most} sessions are busy, and there is room for no more`, {
      hint: "Wait for one of them, or run without a session.",
    });
  };
  const find = (key: string, { name, language }: SessionKey): Entry => {
    const known = entries.get(key);
    if (known && !(known.waiting === 0 && known.sandbox?.ended)) return known;
    if (known) end(key, known, "its process ended");
    const why = losses.get(key);
    losses.delete(key);
    if (why !== undefined) throw lost(name, why);
    makeRoom();
    const entry: Entry = {
      name,
      language,
      line: Promise.resolve(),
      waiting: 0,
      kept: [],
      modules: createKeptModules(),
      lastUsed: performance.now(),
      isEnding: false,
    };
    entries.set(key, entry);
    return entry;
  };
  const settle = (key: string, entry: Entry): void => {
    entry.waiting--;
    entry.lastUsed = performance.now();
    if (entry.waiting > 0 || entries.get(key) !== entry) return;
    // A run that took its session with it has said so itself.
    if (entry.isEnding || !entry.sandbox || entry.sandbox.ended) return end(key, entry);
    const minutes = Math.round(idleMs / 60_000);
    entry.idle = setTimeout(() => end(key, entry, `it was not used for ${minutes} minutes`), idleMs).unref();
  };

  return {
    async use({ name, language }, start, work) {
      const key = keyOf({ name, language });
      const entry = find(key, { name, language });
      entry.waiting++;
      clearTimeout(entry.idle);
      const turn = entry.line.then(async () => {
        if (entry.sandbox?.ended) {
          entry.sandbox = undefined;
          entry.kept = [];
          entry.modules = createKeptModules();
          throw lost(name, "the run before this one ended it");
        }
        entry.sandbox ??= await start();
        const { sandbox } = entry;
        return work({
          sandbox,
          kept: entry.kept,
          modules: entry.modules,
          keep: (declared) => {
            entry.kept = merge(entry.kept, declared);
          },
        });
      });
      entry.line = turn.catch(() => {});
      try {
        return await turn;
      } finally {
        settle(key, entry);
      }
    },
    list: () => [...entries.values()].map(({ name, language }) => ({ name, language })),
    end(session) {
      const key = keyOf(session);
      const entry = entries.get(key);
      if (!entry) return false;
      if (entry.waiting > 0) entry.isEnding = true;
      else end(key, entry);
      return true;
    },
    close() {
      for (const [key, entry] of entries) end(key, entry);
    },
  };
}

function lost(name: string, why: string): CoordinatorError {
  return new CoordinatorError("session_lost", `The session "${name}" is gone, with all that it held: ${why}`, {
    hint: "Nothing has run. Run again to start it anew, and define what the code needs.",
  });
}

function keyOf({ name, language }: SessionKey): string {
  return `${language} ${name}`;
}

/** A name defined again is what it was defined as last; a type and a value may share one. */
function merge(kept: readonly Declared[], declared: readonly Declared[]): Declared[] {
  const id = ({ name, isType }: Declared) => `${isType === true} ${name}`;
  return [...new Map([...kept, ...declared].map((entry) => [id(entry), entry])).values()];
}
