import { believed } from "./annotations.ts";
import { argumentTest } from "./arguments.ts";
import type { Condition } from "./condition.ts";
import type { Hints, Judged, Kind, Match, Rule } from "./rule.ts";
import { textTest } from "./text-pattern.ts";

/** Whether a rule fits an act. `isTrusted`: whether its server's annotations may relax a rule. */
export type RuleTest = (act: Judged, isTrusted: boolean) => boolean;

/** The parts that are tried in turn, the cheapest first. */
export function ruleTest({ match, action }: Rule, condition: Condition | undefined): RuleTest {
  const isAllowing = action === "allow";
  const kinds = kindsOf(match);
  const server = match.server === undefined ? undefined : textTest(match.server);
  const tool = match.tool === undefined ? undefined : textTest(match.tool);
  const via = match.via === undefined ? undefined : textTest(match.via);
  const args = Object.entries(match.args ?? {}).map(([pointer, pattern]) => argumentTest(pointer, pattern, isAllowing));
  return (act, isTrusted) => {
    if (!kinds.has(act.kind) || server?.(act.server) === false || tool?.(act.tool) === false) return false;
    if (via?.(act.via) === false || !args.every((fits) => fits(act.args))) return false;
    if (match.annotations === undefined && condition === undefined) return true;
    const annotations = believed(act.claims, isTrusted);
    if (match.annotations && !agrees(match.annotations, annotations)) return false;
    if (condition === undefined) return true;
    try {
      return condition({ ...act, annotations });
    } catch {
      return !isAllowing; // what cannot be told counts against it
    }
  };
}

function kindsOf({ kind = "tool" }: Match): ReadonlySet<Kind> {
  return new Set(typeof kind === "string" ? [kind] : kind);
}

function agrees(wanted: Hints, annotations: Hints): boolean {
  return Object.entries(wanted).every(([hint, value]) => annotations[hint as keyof Hints] === value);
}
