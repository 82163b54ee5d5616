import type { Actor } from "../actor.ts";
import type { CoordinatorError } from "../errors.ts";
import type { UpstreamAct } from "./act.ts";

/** What was decided of an act and by which rule, as the journal keeps it. */
export interface Decided {
  readonly decision: "allow" | "ask" | "deny";
  readonly rule: string;
  /** The hash of the policy that the rule is of; absent where it was no rule of a policy. */
  readonly policy?: string | undefined;
  /** What rules would have said that are only tried out. */
  readonly shadow?: readonly { readonly rule: string; readonly action: "allow" | "ask" | "deny" }[] | undefined;
}

/** Why a person is to decide, and who may. */
export interface Asking {
  /** What they are asked. */
  readonly ask: string;
  readonly decided?: Decided | undefined;
  /** The only channel by which it may be allowed; any when absent. */
  readonly approver?: "client" | "dashboard" | "cli" | undefined;
}

/** What a gate has to say to an act; nothing when it may pass. */
export type Verdict =
  | undefined
  /** It may pass, by a rule that the journal should name. */
  | { readonly allow: Decided }
  /** It is not to be: why, with the code and the hint that the actor gets. */
  | { readonly deny: CoordinatorError; readonly decided?: Decided | undefined }
  | Asking;

/**
 * Stands at the door. What it throws, denies. One that has nothing to say answers at once, with nothing: a promise, or an
 * object, for each call that may pass would be what calls cost.
 */
export interface Gate {
  readonly name: string;
  judge(act: UpstreamAct, actor: Actor): Verdict | Promise<Verdict>;
}
