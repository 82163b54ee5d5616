import { presetAction } from "./preset.ts";
import type { Action, Approver, Judged, Layer, Rule } from "./rule.ts";
import type { RuleTest, Trial } from "./rule-test.ts";

interface CompiledRule {
  readonly name: string;
  readonly rule: Rule;
  readonly test: RuleTest;
}

/** The rules of a layer, ready to be tried. */
export interface CompiledLayer extends Omit<Layer, "rules"> {
  readonly rules: readonly CompiledRule[];
}

/** What one layer says to an act, by the name of a rule or of its preset. */
export interface LayerAnswer {
  readonly action: Action;
  readonly rule: string;
  readonly origin: Layer["origin"];
  readonly reason?: string | undefined;
  readonly approver?: Approver | undefined;
}

/** What a rule says that is only tried out. */
export interface TriedOut {
  readonly rule: string;
  readonly action: Action;
}

const none: readonly [] = [];

/** Its first rule that fits answers, else its preset. Behind the one that answers, none is tried out any more. */
export function answerOf(
  layer: CompiledLayer,
  trial: Trial,
): { readonly answer: LayerAnswer | undefined; readonly tried: readonly TriedOut[] } {
  let tried: readonly TriedOut[] = none;
  for (const { name, rule, test } of layer.rules) {
    if (!test.fits(trial)) continue;
    if (!rule.shadow) return { answer: ruleAnswer(layer, name, rule), tried };
    tried = [...tried, { rule: name, action: rule.action }];
  }
  return { answer: presetAnswer(layer, trial.act), tried };
}

export function ruleAnswer({ origin }: CompiledLayer, name: string, { action, reason, approver }: Rule): LayerAnswer {
  return { action, rule: name, origin, reason, approver };
}

export function presetAnswer({ preset, origin }: CompiledLayer, act: Omit<Judged, "args">): LayerAnswer | undefined {
  return preset && { action: presetAction(preset, act), rule: `preset ${preset}`, origin };
}
