import { createHash } from "node:crypto";
import { sortedJson } from "../catalog/sorted-json.ts";
import type { Condition } from "./condition.ts";
import { presetAction } from "./preset.ts";
import type { Action, Approver, Judged, Layer, Rule } from "./rule.ts";
import { type RuleTest, ruleTest } from "./rule-test.ts";

/** What is said to an act, and by what. */
export interface Decision {
  readonly action: Action;
  /** The name of the rule, or of the preset; absent where nothing is said of it. */
  readonly rule?: string | undefined;
  readonly origin?: Layer["origin"] | undefined;
  readonly reason?: string | undefined;
  readonly approver?: Approver | undefined;
  /** What rules say that are only tried out. */
  readonly shadow: readonly { readonly rule: string; readonly action: Action }[];
}

/** Rules as they are in force. */
export interface Policy {
  /** Of all that decides, so that a decision can be traced to it. */
  readonly hash: string;
  /** Whether there is an act that it would have a person decide. */
  readonly canAsk: boolean;
  /** Whether it has nothing to say to any act. */
  readonly isSilent: boolean;
  decide(act: Judged): Decision;
}

/** What is wrong with a rule: the path within its file's policy, and what follows that. */
export interface PolicyProblem {
  readonly layer: Layer;
  readonly path: string;
  readonly message: string;
}

/** Compiles a condition, or says what is wrong with it. */
export type CompileCondition = (text: string) => Condition | { readonly problem: string };

interface CompiledRule {
  readonly name: string;
  readonly rule: Rule;
  readonly fits: RuleTest;
}

interface CompiledLayer extends Omit<Layer, "rules"> {
  readonly rules: readonly CompiledRule[];
  readonly trusted: ReadonlySet<string>;
}

/** Throws away no rule: with a problem, there is no policy. */
export function createPolicy(
  layers: readonly Layer[],
  compile: CompileCondition,
): { readonly policy: Policy } | { readonly problems: readonly PolicyProblem[] } {
  const problems: PolicyProblem[] = [];
  const compiled = layers.map((layer): CompiledLayer => {
    const rules = layer.rules.flatMap((rule, index) => {
      const condition = rule.match.when === undefined ? undefined : compile(rule.match.when);
      if (condition && "problem" in condition) {
        const message = `${JSON.stringify(rule.match.when)} ${condition.problem}`;
        problems.push({ layer, path: `rules[${index}].match.when`, message });
        return [];
      }
      return [{ name: ruleName(rule, index), rule, fits: ruleTest(rule, condition) }];
    });
    // A project's file is somebody else's: it cannot make a server's word count for more.
    return { ...layer, rules, trusted: new Set(layer.origin === "project" ? [] : layer.trust) };
  });
  if (problems.length > 0) return { problems };
  const trusted = new Set(compiled.flatMap((layer) => [...layer.trusted]));
  const canAsk = compiled.some(
    ({ preset, rules }) => preset === "careful" || rules.some(({ rule }) => rule.action === "ask" && !rule.shadow),
  );
  const isSilent = compiled.every(({ preset = "open", rules }) => preset === "open" && rules.length === 0);
  const said = layers.map(({ origin, preset, trust, rules }) => ({ origin, preset, trust, rules }));
  const hash = createHash("sha256").update(sortedJson(said)).digest("hex");
  return { policy: { hash, canAsk, isSilent, decide: (act) => decide(compiled, act, trusted.has(act.server)) } };
}

export function ruleName({ id }: Rule, index: number): string {
  return id ?? `rules[${index}]`;
}

const strictness: Readonly<Record<Action, number>> = { allow: 0, ask: 1, deny: 2 };
const silent: readonly [] = [];

/** Each layer answers by its first rule that fits, else by its preset; the strictest answer counts. */
function decide(layers: readonly CompiledLayer[], act: Judged, isTrusted: boolean): Decision {
  let strictest: Omit<Decision, "shadow"> = { action: "allow" };
  let shadow: Decision["shadow"] = silent;
  for (const layer of layers) {
    let answer: Omit<Decision, "shadow"> | undefined;
    for (const { name, rule, fits } of layer.rules) {
      // Behind the one that answers, only those matter that are tried out; they are looked at up to there.
      if (!fits(act, isTrusted)) continue;
      const { action, reason, approver } = rule;
      if (rule.shadow) shadow = [...shadow, { rule: name, action }];
      else {
        answer = { action, rule: name, origin: layer.origin, reason, approver };
        break;
      }
    }
    if (answer === undefined && layer.preset !== undefined)
      answer = { action: presetAction(layer.preset, act), rule: `preset ${layer.preset}`, origin: layer.origin };
    if (answer === undefined) continue;
    const isFirst = strictest.rule === undefined;
    if (isFirst || strictness[answer.action] > strictness[strictest.action]) strictest = answer;
  }
  return { ...strictest, shadow };
}
