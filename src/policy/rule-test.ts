import { believed } from "./annotations.ts";
import { argumentTest } from "./arguments.ts";
import type { Condition } from "./condition.ts";
import type { Hints, Judged, Kind, Match, Rule } from "./rule.ts";
import { textTest } from "./text-pattern.ts";

/** Whether a rule fits an act. `isTrusted`: whether its server's annotations may relax a rule. */
export interface RuleTest {
  fits(act: Judged, isTrusted: boolean): boolean;
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
    fits(act, isTrusted) {
      if (!isAbout(act) || !args.every((fits) => fits(act.args))) return false;
      if (match.annotations === undefined && condition === undefined) return true;
      const annotations = believed(act.claims, isTrusted);
      if (match.annotations && !agrees(match.annotations, annotations)) return false;
      if (condition === undefined) return true;
      try {
        return condition({ ...act, annotations });
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
