import type { Actor } from "../actor.ts";
import { CoordinatorError } from "../errors.ts";
import type { Decision, Policy } from "../policy/policy.ts";
import type { Hints, Judged, Kind } from "../policy/rule.ts";
import type { Act, ActKind, UpstreamAct } from "./act.ts";
import type { Decided, Gate, Verdict } from "./gate.ts";
import type { PolicyInForce } from "./policy-in-force.ts";

export interface PolicyGateOptions {
  readonly inForce: Pick<PolicyInForce, "now">;
  /** What the definition of a tool claims, as a person has accepted it. */
  readonly claims: (server: string, tool: string) => Hints | undefined;
}

/** The rules of the configuration, asked about every act. */
export function createPolicyGate({ inForce, claims }: PolicyGateOptions): Gate {
  const judge = (policy: Policy, act: UpstreamAct, actor: Actor): Verdict => {
    if (policy.isSilent) return undefined;
    return verdictOf(policy.decide(judgedOf(act, actor, claims)), policy, act);
  };
  return {
    name: "policy",
    judge(act, actor) {
      const policy = inForce.now();
      return policy instanceof Promise ? policy.then((fresh) => judge(fresh, act, actor)) : judge(policy, act, actor);
    },
  };
}

/** An act as rules see it. */
function judgedOf(act: Act, { via = "library" }: Actor, claims: PolicyGateOptions["claims"]): Judged {
  const { kind, server, name: tool, args } = act;
  return { kind: kinds[kind], server, tool, args, via, claims: kind === "tool" ? claims(server, tool) : undefined };
}

/** Rules have fewer words for what acts are. */
const kinds: Readonly<Record<ActKind, Kind>> = {
  tool: "tool",
  resource: "resource",
  subscription: "resource",
  prompt: "prompt",
  completion: "completion",
  list: "list",
  own: "own",
  other: "other",
};

function verdictOf(decision: Decision, { hash: policy }: Policy, { server, name }: UpstreamAct): Verdict {
  const { action, rule, reason, approver, shadow } = decision;
  if (rule === undefined && shadow.length === 0) return undefined;
  const decided: Decided = { decision: action, rule: rule ?? "", policy, ...(shadow.length > 0 && { shadow }) };
  if (action === "allow") return { allow: decided };
  if (action === "ask") return { ask: reasonOf(decision), approver, decided };
  const message = `${server}.${name} is denied by ${ruleOf(decision)}${reason === undefined ? "" : `: ${reason}`}`;
  return { deny: new CoordinatorError("tool_denied", message, { hint: deniedHint }), decided };
}

const deniedHint = "Nothing was sent. Do without it: only the user can change the rules.";

/** `rule "mail"`, or what holds where no rule fits. */
function ruleOf({ rule = "", origin }: Pick<Decision, "rule" | "origin">): string {
  const whose =
    origin === undefined || origin === "user" ? "the" : `the ${origin === "managed" ? "administrator's" : "project's"}`;
  return rule.startsWith("preset ") ? `${whose} ${rule}` : `${whose} rule ${JSON.stringify(rule)}`;
}

function reasonOf(decision: Decision): string {
  const { reason } = decision;
  return `${ruleOf(decision)}${reason === undefined ? "" : `: ${reason}`}`;
}
