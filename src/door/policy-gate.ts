import type { Actor } from "../actor.ts";
import { plainLine } from "../catalog/plain-text.ts";
import { CoordinatorError } from "../errors.ts";
import { reasonInWords } from "../policy/decision-text.ts";
import type { Decision, Policy } from "../policy/policy.ts";
import type { Hints, Judged, Kind } from "../policy/rule.ts";
import type { Act, UpstreamAct } from "./act.ts";
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
    const { kind, server, name } = act;
    const judged = judgedOf(act, actor.via, kind === "tool" ? claims(server, name) : undefined);
    return verdictOf(policy.decide(judged), policy, judged);
  };
  return {
    name: "policy",
    judge(act, actor) {
      const policy = inForce.now();
      return policy instanceof Promise ? policy.then((fresh) => judge(fresh, act, actor)) : judge(policy, act, actor);
    },
  };
}

/** An act as rules see it, by the word that the door or the journal has for its kind. */
export function judgedOf(
  { kind, server, name: tool, args }: Omit<Act, "kind"> & { readonly kind: string },
  via: string = "library",
  claims?: Hints,
): Judged {
  return { kind: kinds.get(kind) ?? "other", server, tool, args, via, claims };
}

/** Rules have fewer words for what acts are. */
const kinds = new Map<string, Kind>([
  ["tool", "tool"],
  ["resource", "resource"],
  ["subscription", "resource"],
  ["prompt", "prompt"],
  ["completion", "completion"],
  ["list", "list"],
  ["own", "own"],
]);

function verdictOf(decision: Decision, policy: Policy, judged: Judged): Verdict {
  const { action, rule, approver, shadow } = decision;
  if (rule === undefined && shadow.length === 0) return undefined;
  const tried = shadow.length > 0 && { shadow };
  const decided: Decided = { decision: action, rule: rule ?? "", policy: policy.hash, ...tried };
  if (action === "allow") return { allow: decided };
  if (action === "ask") return { ask: reasonInWords(decision), approver, decided };
  const message = `${plainLine(`${judged.server}.${judged.tool}`, longestName)} is denied by ${reasonInWords(decision)}`;
  const hint = policy.outlook(judged).action === "denied" ? hopeless : hopeful;
  return { deny: new CoordinatorError("tool_denied", message, { hint }), decided };
}

const longestName = 200;
const hopeless = "Nothing was sent. Do without it: only the user can change the rules.";
const hopeful = "Nothing was sent. It is denied with these arguments; only the user can change the rules.";
