import { sortedJson } from "../catalog/sorted-json.ts";
import { nearest } from "../system/nearest.ts";
import { ruleName } from "./policy.ts";
import type { Globs, Layer, Match, Rule } from "./rule.ts";
import { textTest } from "./text-pattern.ts";

/** Something about a rule that its author would want to know. */
export interface LintFinding {
  readonly origin: Layer["origin"];
  readonly file: string;
  /** Its path within the file's policy. */
  readonly path: string;
  readonly rule: string;
  readonly message: string;
}

/** The tools that are known, by server. A server that was never asked has none. */
export type KnownTools = ReadonlyMap<string, readonly string[] | undefined>;

/** Rules that never decide, that fit nothing there is, or that have no effect where they stand. */
export function lintPolicy(layers: readonly Layer[], known: KnownTools): readonly LintFinding[] {
  return layers.flatMap((layer) =>
    layer.rules.flatMap((rule, index) => {
      const messages = [shadowed(layer.rules, index), withoutEffect(layer, rule), ...unknown(rule.match, known)];
      return messages.flatMap((message) => {
        if (message === undefined) return [];
        const { origin, file } = layer;
        return [{ origin, file, path: `policy.rules[${index}]`, rule: ruleName(rule, index), message }];
      });
    }),
  );
}

function withoutEffect({ origin, file }: Layer, { action, shadow }: Rule): string | undefined {
  if (origin !== "project" || action !== "allow" || shadow) return undefined;
  return `has no effect on other rules: a project may only tighten (${file})`;
}

function shadowed(rules: readonly Rule[], index: number): string | undefined {
  const rule = rules[index];
  if (rule === undefined) return undefined;
  const before = rules.findIndex((other, at) => at < index && !other.shadow && covers(other.match, rule.match));
  const earlier = rules[before];
  return earlier && `never decides: rule ${JSON.stringify(ruleName(earlier, before))} before it fits all that it fits`;
}

/** Whether it fits all that the other one does, as far as that can be seen. */
function covers(wide: Match, narrow: Match): boolean {
  const { server, tool, via, kind = "tool", ...rest } = wide;
  const { server: narrowServer, tool: narrowTool, via: narrowVia, kind: narrowKind = "tool", ...narrowRest } = narrow;
  const isFree = Object.keys(rest).length === 0;
  if (!isFree && sortedJson(rest) !== sortedJson(narrowRest)) return false;
  const kinds = listOf(kind);
  if (!listOf(narrowKind).every((one) => kinds.includes(one))) return false;
  return coversText(server, narrowServer) && coversText(tool, narrowTool) && coversText(via, narrowVia);
}

function coversText(wide: Globs | undefined, narrow: Globs | undefined): boolean {
  if (wide === undefined || listOf(wide).includes("*")) return true;
  if (narrow === undefined) return false;
  const fits = textTest(wide);
  // A glob covers another one when it fits its text, with something that no name has in place of the wildcards.
  return listOf(narrow).every(
    (one) => listOf(wide).includes(one) || fits(one.replaceAll("*", "\u0000\u0001").replaceAll("?", "\u0000")),
  );
}

function unknown({ server, tool, kind = "tool" }: Match, known: KnownTools): (string | undefined)[] {
  if (!listOf(kind).includes("tool")) return [];
  const servers = [...known.keys()];
  const strange = server === undefined ? [] : listOf(server).filter((glob) => !servers.some(textTest(glob)));
  const meant = servers.filter(server === undefined ? () => true : textTest(server));
  const tools = meant.flatMap((name) => known.get(name) ?? []);
  // Of a server that was never asked nobody knows what it lacks.
  const isKnown = meant.length > 0 && meant.every((name) => known.get(name) !== undefined);
  const missing = tool === undefined || !isKnown ? [] : listOf(tool).filter((glob) => !tools.some(textTest(glob)));
  return [
    ...strange.map((glob) => `names no configured server: ${JSON.stringify(glob)}${suggestion(glob, servers)}`),
    ...missing.map((glob) => `names no tool that there is: ${JSON.stringify(glob)}${suggestion(glob, tools)}`),
  ];
}

function suggestion(glob: string, names: readonly string[]): string {
  const name = nearest(glob.replaceAll("*", ""), names);
  return name === undefined ? "" : `. Did you mean ${JSON.stringify(name)}?`;
}

function listOf<Item extends string>(one: Item | readonly Item[]): readonly Item[] {
  return typeof one === "string" ? [one] : one;
}
