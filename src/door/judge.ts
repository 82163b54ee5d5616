import type { Actor } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { UpstreamAct } from "./act.ts";
import type { Approve, Gate, Verdict } from "./gate.ts";

/** Why an act may not be; nothing when it may. */
type Refusal = CoordinatorError | undefined;

/** A promise only where a gate takes its time, or a person is asked. Never throws: what cannot be judged may not be. */
export type Judge = (act: UpstreamAct, actor: Actor) => Refusal | Promise<Refusal>;

export function createJudge(gates: readonly Gate[], approve: Approve | undefined): Judge {
  const from = (first: number, act: UpstreamAct, actor: Actor): Refusal | Promise<Refusal> => {
    // By index: this is on the way of every call.
    for (let index = first; ; index++) {
      const gate = gates[index];
      if (gate === undefined) return undefined;
      const verdict = verdictOf(gate, act, actor);
      if (verdict !== undefined) return settle(verdict, index + 1, act, actor);
    }
  };
  const settle = async (
    pending: Verdict | Promise<Verdict>,
    next: number,
    act: UpstreamAct,
    actor: Actor,
  ): Promise<Refusal> => {
    try {
      const verdict = await pending;
      if (verdict && "deny" in verdict) return verdict.deny;
      return (verdict && (await decide(verdict.ask, act, actor))) ?? (await from(next, act, actor));
    } catch (thrown) {
      return asRefusal(thrown);
    }
  };
  const decide: Approve = async (question, act, actor) =>
    approve ? approve(question, act, actor) : new CoordinatorError("tool_denied", `Nobody can be asked: ${question}`);
  return (act, actor) => from(0, act, actor);
}

function verdictOf(gate: Gate, act: UpstreamAct, actor: Actor): Verdict | Promise<Verdict> {
  try {
    return gate.judge(act, actor);
  } catch (thrown) {
    return { deny: asRefusal(thrown) };
  }
}

function asRefusal(thrown: unknown): CoordinatorError {
  if (thrown instanceof CoordinatorError) return thrown;
  return new CoordinatorError("tool_denied", "It could not be judged, and was not sent", { cause: thrown });
}
