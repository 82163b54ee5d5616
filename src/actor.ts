import type { CoordinatorError } from "./errors.ts";

/** What a server may want of the user, or of the AI client, during a call. */
export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

type Params = Readonly<Record<string, unknown>>;

/** One of the protocol, of a server or for a client. */
export interface Notification {
  readonly method: string;
  readonly params?: Params | undefined;
}

/** Which client it is. */
export interface ClientIdentity {
  /** The same for every call of one client, as long as it is connected. */
  readonly id: string;
  /** Set where nothing tells its next request from another client's: HTTP without a session, as in 2026-07-28. */
  readonly isAnonymous?: true | undefined;
}

/** The client at whose wish a call is made: turns at a busy server go by it, and a server's questions go to it. */
export interface Caller extends ClientIdentity {
  /** Set where a question ends the client's request and the answer comes with its next one: none is kept waiting meanwhile. */
  readonly isAskedAtEnd?: true | undefined;
  /** What the client can do, as it declared it to us in the protocol's own words. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  /**
   * Asks the client and gives its answer as it came; throws when it refuses, cannot, or is gone. `key` is the server's
   * own name for the question, where it has one.
   */
  ask(
    method: AskMethod,
    params: Params | undefined,
    options: {
      readonly signal: AbortSignal;
      readonly key?: string | undefined;
      /** The approvals that it is about: they outlive the client's request, and this process. */
      readonly approvals?: readonly string[] | undefined;
    },
  ): Promise<unknown>;
  /** Hands on what the server tells about the call; a client that cannot hear it misses it. */
  notify?(notification: Notification): void;
}

/** A tool by its exact names. */
export interface ToolName {
  readonly server: string;
  readonly tool: string;
}

export function isSameTool(one: ToolName, other: ToolName): boolean {
  return one.server === other.server && one.tool === other.tool;
}

/** What may be used: tools of these servers, and of those only these. All where absent. */
export interface Reach {
  readonly servers?: ReadonlySet<string> | undefined;
  readonly tools?: readonly ToolName[] | undefined;
  /** The skills that leave it no more than that. */
  readonly limitedBy?: readonly string[] | undefined;
}

/** How far long work has come, in words and, where it is known, in numbers. */
export type OnProgress = (message: string, count?: { readonly done: number; readonly total: number }) => void;

/** How a run waits for a person who is to decide about one of its acts. */
export interface Patience {
  /** Whoever asked for the run, as long as they wait for its answer. */
  readonly caller: Caller | undefined;
  /** Its time stands still, and another run may have its place, until the work is done. Throws when too many wait so already. */
  during(work: Promise<unknown>): Promise<void>;
  /** Whoever asked for it is answered with this; it goes on for itself. */
  leave(why: CoordinatorError): void;
  /** Ends it undecided: its process is wanted. */
  end(why: CoordinatorError): void;
}

/** One execution, as the journal has it. */
export interface Run {
  readonly id: string;
  /** That of its guest; "none" for an act that no guest makes. */
  readonly language: "typescript" | "python" | "none";
  /** Told of each tool call of it, before that is made and when it has failed. */
  onCall?(call: ToolName): void;
  onCallFailed?(): void;
  /** Told of one whose value was nothing but an error. */
  onSuspect?(call: ToolName, message: string): void;
  /** Pending while it waits for its place among other runs: its guest is told nothing meanwhile. */
  readonly back?: Promise<void> | undefined;
  /** Absent where nobody can be waited for. */
  readonly patience?: Patience | undefined;
}

/** For what is in no run, and in no journal. */
export const nobodysRun: Run = { id: "", language: "none" };

/** Whose a session is. */
export interface SessionOwner extends ClientIdentity {
  readonly principal: string;
}

/** The session that a run keeps its state in. */
export interface SessionKey {
  readonly owner: SessionOwner;
  readonly name: string;
  readonly language: "typescript" | "python";
}

/** By which face something is done, as rules name it. What a guest does is `code`, whoever submitted it. */
export type Via = "code" | "call_tool" | "cli" | "exposed" | "library" | "playground" | `skill:${string}`;

/** Who acts, and within what. */
export interface Actor {
  /** Whose data it works with: the first part of every key. */
  readonly principal: string;
  /** The client's name, for the journal. */
  readonly client?: string | undefined;
  /** The client itself, for what servers ask of it; absent where nobody can be asked. */
  readonly caller?: Caller | undefined;
  /** `library` when absent. */
  readonly via?: Via | undefined;
  /** Everything when absent. */
  readonly may?: Reach | undefined;
  /** The run as a part of which it acts. */
  readonly run?: Run | undefined;
  readonly session?: SessionKey | undefined;
  /** The runs before it in its session, the newest first. */
  readonly earlierRuns?: readonly string[] | undefined;
  /** The name of the environment whose packages and variables it has. */
  readonly environment?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where it is one of so many that may be under way at once: does the work while another one is, and waits for its place again. */
  readonly aside?: Aside | undefined;
  readonly onProgress?: OnProgress | undefined;
}

export type Aside = <T>(work: () => Promise<T>) => Promise<T>;

/** The owner of everything, on a machine that one person uses. */
export const local: Actor = { principal: "local" };

/** State that a part of the program keeps for each run, and that is forgotten with it. */
export function perRun<State>(create: (run: Run) => State): (run: Run) => State {
  const states = new WeakMap<Run, State>();
  return (run) => {
    const state = states.get(run) ?? create(run);
    states.set(run, state);
    return state;
  };
}
