import * as z from "zod";
import { visibleText } from "../../approvals/visible-text.ts";
import type { PolicyLayer } from "../../door/policy-in-force.ts";
import { ruleName } from "../../policy/policy.ts";
import type { Preset, Rule } from "../../policy/rule.ts";
import { plural } from "../../system/plural.ts";
import { defineOperation } from "../operation.ts";
import type { Services } from "../services.ts";

interface ShownPolicy {
  readonly hash: string;
  /** Why the files as they are now cannot be used; what is shown holds all the same. */
  readonly problem?: string;
  readonly layers: readonly PolicyLayer[];
}

/** For people: the rules that are in force. */
export function showPolicyOperation({ policy }: Services) {
  return defineOperation({
    name: "show_policy",
    description: "The rules in force: each layer with its file, its preset, and its rules in their order",
    readOnly: true,
    input: () => z.strictObject({}),
    async run(): Promise<ShownPolicy> {
      const { hash } = await policy.now();
      const { problem, layers } = policy;
      return { hash, ...(problem !== undefined && { problem }), layers };
    },
    present: (shown) => ({ text: showPolicy(shown) }),
  });
}

function showPolicy({ hash, problem, layers }: ShownPolicy): string {
  const rules = layers.reduce((sum, layer) => sum + layer.rules.length, 0);
  const files = `${plural(rules, "rule")} in ${plural(layers.length, "file")}`;
  const broken =
    problem === undefined ? [] : [`The files cannot be used as they are now; what follows stays in force.\n${problem}`];
  if (layers.length === 0) return [...broken, "No rules: every call is allowed, and in the journal."].join("\n\n");
  const last =
    layers.length > 1
      ? "The strictest answer of the files counts; what none of them answers is allowed."
      : "What it does not answer is allowed.";
  return [...broken, `Policy ${hash}, ${files}`, ...layers.map(showLayer), last].join("\n\n");
}

function showLayer({ origin, file, preset, trust, denied, rules }: PolicyLayer): string {
  return [
    `${origin}  ${visibleText(file)}${origin === "project" ? "  (can only tighten)" : ""}`,
    ...(trust.length > 0 ? [`  trusts ${trust.map(visibleText).join(", ")}`] : []),
    ...(denied === undefined ? [] : [`  what is denied: ${denied}`]),
    ...rules.map((rule, index) => `  ${index + 1}. ${showRule(rule, index)}`),
    `  else ${otherwise(preset)}`,
  ].join("\n");
}

function showRule(rule: Rule, index: number): string {
  const { action, match, reason, approver, shadow } = rule;
  const more = [
    ...(shadow ? ["only tried out"] : []),
    ...(approver === undefined ? [] : [`decided by ${approver}`]),
    ...(reason === undefined ? [] : [visibleText(reason)]),
  ];
  const about = Object.keys(match).length === 0 ? "every tool" : visibleText(JSON.stringify(match));
  const name = visibleText(JSON.stringify(ruleName(rule, index)));
  return `${action.padEnd(5)} ${name}  ${about}${more.length > 0 ? `  (${more.join("; ")})` : ""}`;
}

const presets: Readonly<Record<Preset, string>> = {
  open: "allow (preset open)",
  careful: "ask, unless a tool says that it only reads or destroys nothing (preset careful)",
  locked: "deny (preset locked)",
};

function otherwise(preset: Preset | undefined): string {
  return preset === undefined ? "no answer" : presets[preset];
}
