import type { Actor, Run } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { UpstreamAct } from "./act.ts";
import type { Asking, Decided, Gate, Verdict } from "./gate.ts";

/** An act, who wants it, and the text of its arguments. */
export interface JudgedAct {
  readonly act: UpstreamAct;
  readonly actor: Actor;
  readonly run: Run;
  readonly argsText: string;
}

/** What came of judging an act; undefined where it may pass and nothing is to be said of it. */
export interface Judgement {
  /** Why it may not be. */
  readonly refusal?: CoordinatorError | undefined;
  readonly decided?: Decided | undefined;
  /** By which a person has let it pass; they are used up when the intent is written down. */
  readonly approvals?: readonly string[] | undefined;
}

/** An act that a person is to decide. */
export interface Hold {
  /** What has come of it: the approval by which it may be, why it may not be, or that the rules have changed. */
  next(): Promise<{ readonly approval: string } | { readonly refusal: CoordinatorError } | "judge again">;
  /** Nobody has to decide it any more: what else was said to it, nothing where it may be. */
  drop(refusal: CoordinatorError | undefined): Promise<void>;
}

/** Has a person asked. What it throws, denies. */
export type Approve = (asking: Asking, judged: JudgedAct) => Hold;

/** Never throws: what cannot be judged may not be. */
export interface Judge {
  /** A promise only where a gate takes its time, or a person is asked. */
  judge(
    act: UpstreamAct,
    actor: Actor,
    run: Run,
    argsText: string,
  ): Judgement | undefined | Promise<Judgement | undefined>;
  /** Whether no gate stops it, or wants a person to. */
  isFree(act: UpstreamAct, actor: Actor): Promise<boolean>;
}

/** What the gates say, before a person has said anything. */
interface Said {
  readonly judgement?: Judgement | undefined;
  readonly asks?: readonly Asking[] | undefined;
}

type Say = (
  act: UpstreamAct,
  actor: Actor,
  first?: number,
  before?: Said,
) => Said | undefined | Promise<Said | undefined>;

export function createJudge(gates: readonly Gate[], approve: Approve | undefined): Judge {
  const say: Say = (act, actor, first = 0, before) => {
    let said = before;
    // By index: this is on the way of every call.
    for (let index = first; ; index++) {
      const gate = gates[index];
      if (gate === undefined) return said;
      const verdict = verdictOf(gate, act, actor);
      if (verdict === undefined) continue;
      if (verdict instanceof Promise) {
        return verdict
          .catch((thrown): Verdict => ({ deny: asRefusal(thrown) }))
          .then((late) => {
            const all = late ? add(said, gate, late) : said;
            return all?.judgement?.refusal ? all : say(act, actor, index + 1, all);
          });
      }
      said = add(said, gate, verdict);
      // A person is not asked about what may not be anyway.
      if (said.judgement?.refusal) return said;
    }
  };
  return {
    judge(act, actor, run, argsText) {
      const said = say(act, actor);
      if (said === undefined) return undefined;
      const settle = (all: Said | undefined) =>
        all && isAsked(all) ? askPerson({ act, actor, run, argsText }, all, { say, approve }) : all?.judgement;
      return said instanceof Promise ? said.then(settle) : settle(said);
    },
    async isFree(act, actor) {
      const said = await say(act, actor);
      return said === undefined || (said.judgement?.refusal === undefined && !isAsked(said));
    },
  };
}

function isAsked({ asks, judgement }: Said): boolean {
  return asks !== undefined && judgement?.refusal === undefined;
}

/** Every question is put to a person, one after the other; the rules are asked again after each answer. */
async function askPerson(
  judged: JudgedAct,
  first: Said,
  { say, approve }: { readonly say: Say; readonly approve: Approve | undefined },
): Promise<Judgement | undefined> {
  const holds: Holds = new Map();
  let said: Said | undefined = first;
  try {
    for (;;) {
      const asks = said?.asks ?? [];
      const refusal = said?.judgement?.refusal;
      await dropOthers(holds, refusal ? [] : asks, refusal);
      if (refusal) return said?.judgement;
      const open = asks.find((asking) => holds.get(keyOf(asking))?.approval === undefined);
      if (open === undefined) return allowedBy(said, asks, holds);
      if (!approve) return { refusal: nobodyToAsk(open), decided: open.decided };
      const held = holds.get(keyOf(open)) ?? { hold: approve(open, judged) };
      holds.set(keyOf(open), held);
      const next = await (judged.actor.aside?.(held.hold.next) ?? held.hold.next());
      if (next !== "judge again" && "refusal" in next) return { refusal: next.refusal, decided: open.decided };
      if (next !== "judge again") held.approval = next.approval;
      // By the rules as they are now: a person does not allow what they forbid.
      said = await say(judged.act, judged.actor);
    }
  } catch (thrown) {
    return { refusal: asRefusal(thrown), decided: first.asks?.[0]?.decided };
  }
}

function verdictOf(gate: Gate, act: UpstreamAct, actor: Actor): Verdict | Promise<Verdict> {
  try {
    return gate.judge(act, actor);
  } catch (thrown) {
    return { deny: asRefusal(thrown) };
  }
}

function add(said: Said | undefined, { name }: Gate, verdict: NonNullable<Verdict>): Said {
  if ("deny" in verdict) {
    const { deny: refusal, decided = { decision: "deny", rule: name } } = verdict;
    return { judgement: { refusal, decided } };
  }
  if ("ask" in verdict) return { ...said, asks: [...(said?.asks ?? []), verdict] };
  return { ...said, judgement: { decided: verdict.allow } };
}

/** The same question by the same rule. */
function keyOf({ ask, approver, decided }: Asking): string {
  return JSON.stringify([ask, approver, decided?.rule]);
}

type Holds = Map<string, { readonly hold: Hold; approval?: string }>;

/** What a person was asked and nobody asks any more. */
async function dropOthers(holds: Holds, asks: readonly Asking[], refusal: CoordinatorError | undefined): Promise<void> {
  const wanted = new Set(asks.map(keyOf));
  for (const [key, { hold }] of holds) {
    if (wanted.has(key)) continue;
    holds.delete(key);
    await hold.drop(refusal);
  }
}

function allowedBy(said: Said | undefined, asks: readonly Asking[], holds: Holds): Judgement | undefined {
  if (asks.length === 0) return said?.judgement;
  const approvals = asks.flatMap((asking) => holds.get(keyOf(asking))?.approval ?? []);
  return { decided: asks[0]?.decided, approvals };
}

function nobodyToAsk({ ask }: Asking): CoordinatorError {
  return new CoordinatorError("tool_denied", `Nobody can be asked: ${ask}`);
}

function asRefusal(thrown: unknown): CoordinatorError {
  if (thrown instanceof CoordinatorError) return thrown;
  return new CoordinatorError("tool_denied", "It could not be judged, and was not sent", { cause: thrown });
}
