import type { Actor, SessionKey, SessionOwner } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { Sandbox } from "../sandbox/engine.ts";
import type { Declared } from "./compiled.ts";
import { createKeptModules, type KeptModules } from "./modules/kept-modules.ts";
import {
  createSessionBook,
  lost,
  type SessionBookOptions,
  type SessionEntry,
  type SessionPlace,
} from "./session-book.ts";

/** Guest state that outlives its run: a sandbox of its own, and what is known of the names in it. */
export interface Session {
  /** What later runs call it. Not what was asked for where its client is anonymous. */
  readonly name: string;
  readonly sandbox: Sandbox;
  readonly kept: readonly Declared[];
  /** The modules that its runs have imported. */
  readonly modules: KeptModules;
  /** The ids of its earlier runs, the newest first. */
  readonly runs: readonly string[];
  /** Whether a later run can go on with it. */
  readonly lasts: boolean;
  /** What a run has defined stays known to the next one's check. */
  keep(declared: readonly Declared[]): void;
  /** A run is about to begin. */
  begin(run: string): void;
}

/** Whose sessions an actor has: its client's. A command, or a program that uses us as its library, has no client. */
export function ownerOf({ principal, caller }: Actor): SessionOwner {
  // Of the client only who it is: a session lasts longer than the request that starts it.
  return { principal, id: caller?.id ?? "", isAnonymous: caller?.isAnonymous };
}

/**
 * Sessions by principal, client, name and language. Each is a process of its own; none sees another, and no client another's. A
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
    how?: SessionUse,
  ): Promise<T>;
  /** The client's own. */
  list(owner: SessionOwner): readonly Pick<SessionKey, "name" | "language">[];
  /** Ends a session of the client, after the run that is under way in it. False when there is none. */
  end(key: SessionKey): boolean;
  /** The client has gone: ends all that it has, each after the run in it. */
  endAll(owner: SessionOwner): void;
  close(): void;
}

interface SessionUse {
  /** How to wait for its turn, where that is not at once. */
  readonly waiting: (turn: Promise<unknown>) => Promise<unknown>;
  readonly run: string;
  /** Resolves when the run waits for a person, with nobody waiting for it: those behind it are told, and wait no longer. */
  readonly left: Promise<void>;
}

export interface SessionsOptions extends SessionBookOptions {
  /** How long one is kept without being used; 10 minutes. */
  readonly idleMs?: number;
}

/** How many runs wait for one session. */
const mostWaiting = 256;
/** So many of its runs are remembered. */
const mostRuns = 1000;

export function createSessions({ idleMs = 10 * 60_000, ...options }: SessionsOptions): Sessions {
  const book = createSessionBook(options);
  const endSoon = (entry: SessionEntry): void => {
    if (entry.waiting > 0) entry.isEnding = true;
    else book.end(entry);
  };
  const settle = (entry: SessionEntry): void => {
    entry.waiting--;
    entry.lastUsed = performance.now();
    if (entry.waiting > 0 || book.get(entry) !== entry) return;
    // A run that took its session with it has said so itself.
    if (entry.isEnding || !entry.sandbox || entry.sandbox.ended) return book.end(entry);
    const minutes = Math.round(idleMs / 60_000);
    const why = `it was not used for ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
    entry.idle = setTimeout(() => book.end(entry, why), idleMs).unref();
  };

  return {
    async use(key, start, work, how) {
      const entry = book.find(key);
      if (entry.heldBy !== undefined) throw held(entry.name, entry.heldBy);
      if (entry.waiting >= mostWaiting) throw tooMany(entry);
      const isFree = entry.waiting++ === 0;
      clearTimeout(entry.idle);
      const before = isFree || !how ? entry.line : how.waiting(entry.line);
      const place = inLine(entry);
      const turn = before.then(() => place.enter(() => workIn(entry, start, work), how));
      entry.line = turn.catch(() => {});
      try {
        return await Promise.race([turn, place.sentAway]);
      } finally {
        settle(entry);
      }
    },
    list: (owner) => book.of(owner).map(({ name, language }) => ({ name, language })),
    end(key) {
      const entry = book.get(key);
      if (entry) endSoon(entry);
      return entry !== undefined;
    },
    endAll(owner) {
      if (options.isShared || owner.isAnonymous) return;
      book.forgetLosses(owner);
      for (const entry of book.of(owner)) endSoon(entry);
    },
    close: () => book.endAll(),
  };
}

/** A place in the line for a session: given up when the run that has it waits for a person. */
function inLine(entry: SessionEntry) {
  let sendAway = (_run: string): void => {};
  let isAway = false;
  const sentAway = new Promise<never>((_resolve, reject) => {
    sendAway = (run) => {
      isAway = true;
      reject(held(entry.name, run));
    };
  });
  sentAway.catch(() => {});
  entry.behind.add(sendAway);
  return {
    sentAway,
    async enter<T>(work: () => Promise<T>, how: SessionUse | undefined): Promise<T> {
      entry.behind.delete(sendAway);
      if (isAway) return sentAway;
      let isOver = false;
      const leave = ({ run }: SessionUse): void => {
        if (isOver) return;
        entry.heldBy = run;
        for (const tell of entry.behind) tell(run);
        entry.behind.clear();
      };
      if (how) void how.left.then(() => leave(how));
      try {
        return await work();
      } finally {
        isOver = true;
        entry.heldBy = undefined;
      }
    },
  };
}

function held(name: string, run: string): CoordinatorError {
  const asked = JSON.stringify(run);
  return new CoordinatorError(
    "needs_approval",
    `The session "${name}" is held by run ${asked}, which waits for the user's approval, or goes on since`,
    {
      hint: `Nothing has run. Call resume_run with run ${asked}; when that has ended the session can be used again. Or run without a session, or in another one.`,
    },
  );
}

async function workIn<T>(
  entry: SessionEntry,
  start: () => Promise<Sandbox>,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  if (entry.sandbox?.ended) {
    entry.sandbox = undefined;
    entry.kept = [];
    entry.modules = createKeptModules();
    throw lost(entry.name, "the run before this one ended it", false);
  }
  entry.sandbox ??= await start();
  const { name, sandbox, kept, modules, runs } = entry;
  return work({
    name,
    sandbox,
    kept,
    modules,
    runs,
    get lasts() {
      return !entry.isEnding && !sandbox.ended;
    },
    keep: (declared) => {
      entry.kept = merge(entry.kept, declared);
    },
    begin: (run) => {
      entry.runs = [run, ...runs].slice(0, mostRuns);
    },
  });
}

function tooMany({ name }: SessionEntry): CoordinatorError {
  return new CoordinatorError("session_limit", `${mostWaiting} runs are waiting for the session "${name}" already`, {
    hint: "Nothing has run. Run it again when they have ended.",
  });
}

/** A name defined again is what it was defined as last; a type and a value may share one. */
function merge(kept: readonly Declared[], declared: readonly Declared[]): Declared[] {
  const id = ({ name, isType }: Declared) => `${isType === true} ${name}`;
  return [...new Map([...kept, ...declared].map((entry) => [id(entry), entry])).values()];
}
