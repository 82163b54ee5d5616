import type { Approval, ApprovalState, Decision, NewApproval } from "./approval.ts";

interface ApprovalFilter {
  readonly states?: readonly ApprovalState[] | undefined;
  readonly run?: string | undefined;
  /** How their ids begin. */
  readonly prefix?: string | undefined;
  readonly limit?: number | undefined;
}

/** Questions that a client may answer with its next request. */
export interface AskedQuestion {
  /** Of the client's request: no other request may answer. */
  readonly fingerprint: string;
  readonly run: string;
  /** What each asks about, in its order, by the name under which its answer comes. */
  readonly approvals: Readonly<Record<string, readonly string[]>>;
  readonly expiresAt: number;
}

/**
 * What people were asked, and what they said, of one owner; seen by every coordinator on the same data. Of several who change
 * the state of one at the same moment one does, and the others learn what it is. Using one up is the journal's: it
 * happens with the intent, or not at all.
 */
export interface ApprovalStore {
  /** Keeps all of them, or none. */
  ask(asked: readonly NewApproval[]): Promise<void>;
  get(id: string): Promise<Approval | undefined>;
  /** The oldest first. */
  list(which: ApprovalFilter): Promise<Approval[]>;
  /** Decides what is pending and not past its time; whoever is late gets what was decided before. Undefined: there is none of that id. */
  decide(
    id: string,
    decision: Decision,
  ): Promise<{ readonly approval: Approval; readonly isFirst: boolean } | undefined>;
  /** Makes void those that are pending, or approved and not used; answers with these. */
  void(ids: readonly string[], note: string): Promise<readonly string[]>;
  /** What a client was asked, by the state that it was given to come back with; it outlives the process that asked. */
  keepQuestion(state: string, question: AskedQuestion): Promise<void>;
  /** Once for a state, with the fingerprint that it was kept with; undefined for any other, and when its time is over. */
  takeQuestion(state: string, fingerprint: string): Promise<AskedQuestion | undefined>;
  /** Ends those whose time is over; answers with them. */
  expire(now: number): Promise<readonly string[]>;
  /**
   * Calls back after something was decided, made void or ended, by whomever and in whichever process; also when nothing was, and
   * not with what: look. Answers with what stops it. Keeps no process alive.
   */
  watch(onChange: () => void): () => void;
}
