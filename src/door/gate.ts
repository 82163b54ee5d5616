import type { Actor } from "../actor.ts";
import type { CoordinatorError } from "../errors.ts";
import type { UpstreamAct } from "./act.ts";

/** What a gate has to say to an act; nothing when it may pass. */
export type Verdict =
  | undefined
  /** It is not to be: why, with the code and the hint that the actor gets. */
  | { readonly deny: CoordinatorError }
  /** A person is to decide: what they are asked. */
  | { readonly ask: string };

/**
 * Stands at the door. What it throws, denies. One that has nothing to say answers at once, with nothing: a promise, or an
 * object, for each call that may pass would be what calls cost.
 */
export interface Gate {
  readonly name: string;
  judge(act: UpstreamAct, actor: Actor): Verdict | Promise<Verdict>;
}

/** Asks a person. Answers why it is not to be, or nothing when it may. */
export type Approve = (question: string, act: UpstreamAct, actor: Actor) => Promise<CoordinatorError | undefined>;
