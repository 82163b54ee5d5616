import { type CompiledLayer, type LayerAnswer, presetAnswer, ruleAnswer } from "./compiled-layer.ts";
import type { Judged } from "./rule.ts";
import { strictness } from "./strictness.ts";

/**
 * What can be said of an act before its arguments are known. `denied`: whatever they are. `asks`: a person is asked, at least for
 * some. `depends`: some are denied, and nobody is asked. In doubt it is not `denied`.
 */
export interface Outlook {
  readonly action: "allow" | "asks" | "denied" | "depends";
  /** By which rule it is denied. */
  readonly by?: LayerAnswer | undefined;
}

export function outlookOf(layers: readonly CompiledLayer[], act: Omit<Judged, "args">, isTrusted: boolean): Outlook {
  let canAsk = false;
  let canDeny = false;
  for (const layer of layers) {
    const answers = possibleAnswers(layer, act, isTrusted);
    const mildest = answers.reduce((one, other) => (strictness[other.action] < strictness[one.action] ? other : one));
    if (mildest.action === "deny") return { action: "denied", by: mildest };
    canAsk ||= answers.some(({ action }) => action === "ask");
    canDeny ||= answers.some(({ action }) => action === "deny");
  }
  if (canAsk) return { action: "asks" };
  return { action: canDeny ? "depends" : "allow" };
}

/** Every answer that a layer may give, as far as its rules go by the arguments. */
function possibleAnswers(layer: CompiledLayer, act: Omit<Judged, "args">, isTrusted: boolean): readonly LayerAnswer[] {
  const answers: LayerAnswer[] = [];
  for (const { name, rule, test } of layer.rules) {
    if (rule.shadow) continue;
    const reach = test.reach(act, isTrusted);
    if (reach === "never") continue;
    answers.push(ruleAnswer(layer, name, rule));
    if (reach === "always") return answers;
  }
  return [...answers, presetAnswer(layer, act) ?? { action: "allow", rule: "", origin: layer.origin }];
}
