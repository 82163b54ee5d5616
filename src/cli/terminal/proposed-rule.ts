import { visibleText } from "../../approvals/visible-text.ts";
import type { ProposedRule } from "../../operations/allowing-rule.ts";

/** What a person reads before they let a rule be written: the rule, whole, where it goes, and what it does not do. */
export function showProposedRule({ rule, file, index, before, outcome }: ProposedRule): string {
  const next = before[index];
  const place = next
    ? `before ${next.id === undefined ? `the rule ${index + 1}` : `the rule ${JSON.stringify(next.id)}`}`
    : "as the last rule";
  const lines = JSON.stringify(rule, undefined, 2)
    .split("\n")
    .map((line) => `  ${visibleText(line)}`);
  return [
    "The call above may be made, once; and from now on, in every run, nobody is asked about calls that this rule fits:",
    ...lines,
    `It goes into ${visibleText(file)}, ${visibleText(place)}.`,
    outcome === "allow"
      ? "Rules of an administrator, and of a project, count all the same."
      : `Another file's rules say ${outcome} to this call all the same.`,
  ].join("\n");
}
