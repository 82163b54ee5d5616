import { filledIn } from "./annotations.ts";
import type { Action, Judged, Kind, Preset } from "./rule.ts";

const outward: ReadonlySet<Kind> = new Set(["tool", "own"]);

/** What a preset says to an act that no rule of its layer fits. */
export function presetAction(preset: Preset, { kind, claims }: Pick<Judged, "kind" | "claims">): Action {
  if (preset === "open" || kind === "list") return "allow";
  if (preset === "locked") return "deny";
  if (!outward.has(kind)) return "allow";
  if (kind === "own") return "ask";
  const { readOnlyHint, destructiveHint } = filledIn(claims);
  return readOnlyHint || !destructiveHint ? "allow" : "ask";
}
