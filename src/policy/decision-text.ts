import type { Decision } from "./policy.ts";

/** `rule "mail"`, or `preset careful`. */
export function showRuleName(rule: string): string {
  return rule.startsWith("preset ") ? rule : `rule ${JSON.stringify(rule)}`;
}

/** The rule "mail", or what holds where no rule fits: as it stands in a sentence, with whose it is where it is not the user's. */
function ruleInWords({ rule = "", origin }: Pick<Decision, "rule" | "origin">): string {
  const whose =
    origin === undefined || origin === "user" ? "the" : `the ${origin === "managed" ? "administrator's" : "project's"}`;
  return `${whose} ${showRuleName(rule)}`;
}

/** The same, with what its author says of it. */
export function reasonInWords(decision: Pick<Decision, "rule" | "origin" | "reason">): string {
  const { reason } = decision;
  return `${ruleInWords(decision)}${reason === undefined ? "" : `: ${reason}`}`;
}
