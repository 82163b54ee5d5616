import { believed } from "./annotations.ts";
import { argumentTest } from "./arguments.ts";
import type { Condition, ConditionContext } from "./condition.ts";
import type { Hints, Judged, Kind, Match, Rule } from "./rule.ts";
import { textTest } from "./text-pattern.ts";

/** An act while rules are tried on it: what several of them have to know is found out once, and only if one does. */
export interface Trial {
  readonly act: Judged;
  annotations(): ConditionContext["annotations"];
  context(): ConditionContext;
}

export function createTrial(act: Judged, isTrusted: boolean): Trial {
  let annotations: ConditionContext["annotations"] | undefined;
  let context: ConditionContext | undefined;
  const trial: Trial = {
    act,
    annotations() {
      annotations ??= believed(act.claims, isTrusted);
      return annotations;
    },
    context() {
      const { args, server, tool, kind, via } = act;
      context ??= { args, server, tool, kind, via, annotations: trial.annotations() };
      return context;
    },
  };
  return trial;
}

/** Whether a rule fits an act. `isTrusted`: whether its server's annotations may relax a rule. */
export interface RuleTest {
  fits(trial: Trial): boolean;
  /** The same of an act whose arguments are not known: whatever they are, whatever they are not, or it depends on them. */
  reach(act: Omit<Judged, "args">, isTrusted: boolean): "always" | "never" | "depends";
}

/** The parts that are tried in turn, the cheapest first. */
export function ruleTest({ match, action }: Rule, condition: Condition | undefined): RuleTest {
  const isAllowing = action === "allow";
  const kinds = kindsOf(match);
  const server = match.server === undefined ? undefined : textTest(match.server);
  const tool = match.tool === undefined ? undefined : textTest(match.tool);
  const via = match.via === undefined ? undefined : textTest(match.via);
  const args = Object.entries(match.args ?? {}).map(([pointer, pattern]) => argumentTest(pointer, pattern, isAllowing));
  const isAbout = (act: Omit<Judged, "args">): boolean => {
    if (!kinds.has(act.kind) || server?.(act.server) === false || tool?.(act.tool) === false) return false;
    return via?.(act.via) !== false;
  };
  return {
    fits(trial) {
      const { act } = trial;
      if (!isAbout(act) || !args.every((fits) => fits(act.args))) return false;
      if (match.annotations && !agrees(match.annotations, trial.annotations())) return false;
      if (condition === undefined) return true;
      try {
        return condition(trial.context());
      } catch {
        return !isAllowing; // what cannot be told counts against it
      }
    },
    reach(act, isTrusted) {
      if (!isAbout(act)) return "never";
      if (match.annotations && !agrees(match.annotations, believed(act.claims, isTrusted))) return "never";
      return args.length > 0 || condition !== undefined ? "depends" : "always";
    },
  };
}

function kindsOf({ kind = "tool" }: Match): ReadonlySet<Kind> {
  return new Set(typeof kind === "string" ? [kind] : kind);
}

function agrees(wanted: Hints, annotations: Hints): boolean {
  return Object.entries(wanted).every(([hint, value]) => annotations[hint as keyof Hints] === value);
}
