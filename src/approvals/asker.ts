import type { Approval, Channel, Decision, NewApproval } from "./approval.ts";

/** What a person says to one act, in the words that they see. */
export const answers = ["allow once", "allow in this run", "deny", "not now"] as const;
export type Answer = (typeof answers)[number];

/** A way to a person who can be asked now. */
export interface Asker {
  readonly channel: Channel;
  /** Who decides by it, in words, as the row of the approval has it. */
  readonly who: string;
  /** Whether it can show all of them whole: what a person cannot see they do not decide. */
  canShow(asked: readonly NewApproval[]): boolean;
  /**
   * Puts them as one question; gives what was said, by their ids. What is not among it is as undecided as "not now". Throws when
   * nobody could be asked, or the signal is aborted: then somebody else has decided, or nobody waits any more.
   */
  ask(asked: readonly NewApproval[], signal: AbortSignal): Promise<ReadonlyMap<string, Answer>>;
  /** Tells that somebody else had decided before the answer came. */
  tooLate?(decided: Approval): void;
}

/** Nothing where nothing was decided. */
export function decisionOf(answer: Answer, whose: Pick<Decision, "by" | "channel">): Decision | undefined {
  if (answer === "allow once") return { state: "approved", scope: "once", ...whose };
  if (answer === "allow in this run") return { state: "approved", scope: "run", ...whose };
  return answer === "deny" ? { state: "rejected", ...whose } : undefined;
}
