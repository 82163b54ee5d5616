import type { CompileCondition } from "./policy.ts";
import { presetAction } from "./preset.ts";
import type { ArgumentPattern, Judged, Layer, Match, Rule } from "./rule.ts";
import { createTrial, ruleTest } from "./rule-test.ts";

/** A rule by which nobody would be asked about an act and its like, and its place among the rules of its layer. */
export interface AllowingRule {
  readonly rule: Rule;
  readonly index: number;
}

interface AllowingOptions {
  /** Pointers to the arguments whose values have to be the same. */
  readonly same: readonly string[];
  /** Whether the annotations of the act's server may relax a rule. */
  readonly isTrusted: boolean;
  readonly compile: CompileCondition;
}

/**
 * The narrowest that is of use: the same server, tool and face, within what the rule says that asks, with the values of the arguments
 * at the pointers. It stands right before the rule that asks, so that whatever stands before that goes on counting. Undefined
 * where the layer does not ask; a text is why there is no such rule.
 */
export function allowingRule(
  act: Judged,
  layer: Layer,
  { same, isTrusted, compile }: AllowingOptions,
): AllowingRule | string | undefined {
  const test = (rule: Rule) => {
    const condition = rule.match.when === undefined ? undefined : compile(rule.match.when);
    return ruleTest(rule, condition && "problem" in condition ? undefined : condition);
  };
  const found = layer.rules.findIndex((rule) => !rule.shadow && test(rule).fits(createTrial(act, isTrusted)));
  const asking = layer.rules[found];
  const action = asking?.action ?? (layer.preset === undefined ? "allow" : presetAction(layer.preset, act));
  if (action !== "ask") return undefined;
  for (const name of [act.server, act.tool]) if (isGlob(name)) return `${JSON.stringify(name)} would name others too`;
  const args: Record<string, ArgumentPattern> = { ...asking?.match.args };
  for (const pointer of same) {
    const pattern = exactly(at(act.args, pointer));
    if (pattern === undefined)
      return `the value at ${JSON.stringify(pointer)} is no text without * and ?, and no number`;
    args[pointer] = pattern;
  }
  const match: Match = {
    server: act.server,
    tool: act.tool,
    ...(act.kind !== "tool" && { kind: act.kind }),
    via: act.via,
    ...(Object.keys(args).length > 0 && { args }),
    ...(asking?.match.when !== undefined && { when: asking.match.when }),
  };
  const rule: Rule = { match, action: "allow" };
  if (!test(rule).fits(createTrial(act, false)))
    return "what the asking rule says of arguments would not let this very call pass";
  return { rule, index: asking ? found : layer.rules.length };
}

function isGlob(text: string): boolean {
  return /[*?]/.test(text);
}

function exactly(value: unknown): ArgumentPattern | undefined {
  if (typeof value === "number") return { min: value, max: value };
  return typeof value === "string" && !isGlob(value) ? value : undefined;
}

function at(args: unknown, pointer: string): unknown {
  const path = pointer.slice(1).split("/");
  return path.reduce<unknown>((inner, segment) => {
    const key = segment.replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof inner === "object" && inner !== null && Object.hasOwn(inner, key)
      ? Reflect.get(inner, key)
      : undefined;
  }, args);
}
