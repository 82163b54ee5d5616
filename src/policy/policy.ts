import { createHash } from "node:crypto";
import { sortedJson } from "../catalog/sorted-json.ts";
import { answerOf, type CompiledLayer, type LayerAnswer, type TriedOut } from "./compiled-layer.ts";
import type { Condition } from "./condition.ts";
import { type Outlook, outlookOf } from "./outlook.ts";
import type { Judged, Layer, Rule } from "./rule.ts";
import { createTrial, ruleTest, type Trial } from "./rule-test.ts";
import { strictness } from "./strictness.ts";

/** What is said to an act, and by what. */
export interface Decision extends Omit<LayerAnswer, "rule" | "origin"> {
  /** The name of the rule, or of the preset; absent where nothing is said of it. */
  readonly rule?: string | undefined;
  readonly origin?: Layer["origin"] | undefined;
  /** What rules say that are only tried out. */
  readonly shadow: readonly TriedOut[];
}

/** Rules as they are in force. */
export interface Policy {
  /** Of all that decides, so that a decision can be traced to it. */
  readonly hash: string;
  /** Whether there is an act that it would have a person decide. */
  readonly canAsk: boolean;
  /** Whether it has nothing to say to any act. */
  readonly isSilent: boolean;
  /** Whether models are shown what is denied to them, marked, and not spared it. */
  readonly showsDenied: boolean;
  decide(act: Judged): Decision;
  /** What each layer says by itself, in their order; undefined where it says nothing. */
  explain(act: Judged): readonly (LayerAnswer | undefined)[];
  /** What can be said of an act before its arguments are known. */
  outlook(act: Omit<Judged, "args">): Outlook;
}

/** What is wrong with a rule: the path within its file's policy, and what follows that. */
export interface PolicyProblem {
  readonly layer: Layer;
  readonly path: string;
  readonly message: string;
}

/** Compiles a condition, or says what is wrong with it. */
export type CompileCondition = (text: string) => Condition | { readonly problem: string };

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
      return [{ name: ruleName(rule, index), rule, test: ruleTest(rule, condition) }];
    });
    return { ...layer, rules };
  });
  if (problems.length > 0) return { problems };
  const trusted = trustedServers(layers);
  const canAsk = compiled.some(
    ({ preset, rules }) => preset === "careful" || rules.some(({ rule }) => rule.action === "ask" && !rule.shadow),
  );
  const isSilent = compiled.every(({ preset = "open", rules }) => preset === "open" && rules.length === 0);
  const said = layers.map(({ origin, preset, trust, rules }) => ({ origin, preset, trust, rules }));
  const hash = createHash("sha256").update(sortedJson(said)).digest("hex");
  const policy: Policy = {
    hash,
    canAsk,
    isSilent,
    showsDenied: showsDenied(layers),
    decide: (act) => decide(compiled, createTrial(act, trusted.has(act.server))),
    explain(act) {
      const trial = createTrial(act, trusted.has(act.server));
      return compiled.map((layer) => answerOf(layer, trial).answer);
    },
    outlook: (act) => outlookOf(compiled, act, trusted.has(act.server)),
  };
  return { policy };
}

/** Servers whose annotations may relax a rule. A project's file is somebody else's: it cannot make a server's word count for more. */
export function trustedServers(layers: readonly Layer[]): ReadonlySet<string> {
  return new Set(layers.flatMap(({ origin, trust }) => (origin === "project" ? [] : trust)));
}

/** A project's file does not make a model see more than the user wants. */
function showsDenied(layers: readonly Layer[]): boolean {
  const wishes = layers.filter(({ origin, denied }) => origin !== "project" || denied === "hide");
  return wishes.some(({ denied }) => denied === "mark") && wishes.every(({ denied = "mark" }) => denied === "mark");
}

export function ruleName({ id }: Rule, index: number): string {
  return id ?? `rules[${index}]`;
}

const silent: readonly [] = [];

/** Each layer answers by its first rule that fits, else by its preset; the strictest answer counts. */
function decide(layers: readonly CompiledLayer[], trial: Trial): Decision {
  let strictest: Omit<Decision, "shadow"> = { action: "allow" };
  let shadow: Decision["shadow"] = silent;
  for (const layer of layers) {
    const { answer, tried } = answerOf(layer, trial);
    if (tried.length > 0) shadow = [...shadow, ...tried];
    if (answer === undefined) continue;
    const isFirst = strictest.rule === undefined;
    if (isFirst || strictness[answer.action] > strictness[strictest.action]) strictest = answer;
  }
  return { ...strictest, shadow };
}
