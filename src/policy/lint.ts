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
  return layers.flatMap((layer) => {
    const { origin, file, rules, trust } = layer;
    const ofRules = rules.flatMap((rule, index) => {
      const { match } = rule;
      const first = [shadowed(rules, index), repeated(rules, index), withoutEffect(layer, rule)];
      const messages = [...first, ...unknown(match, known), ...unknownFaces(match), ...unknownActs(match)];
      const at = { origin, file, path: `policy.rules[${index}]`, rule: ruleName(rule, index) };
      return messages.flatMap((message) => (message === undefined ? [] : [{ ...at, message }]));
    });
    const servers = [...known.keys()];
    const ofTrust = trust.flatMap((server, index) => {
      const name = `trust[${index}]`;
      const message =
        origin === "project" ? "has no effect: a project cannot make a server trusted" : strange(server, servers);
      return message === undefined ? [] : [{ origin, file, path: `policy.${name}`, rule: name, message }];
    });
    return [...ofRules, ...ofTrust];
  });
}

function strange(server: string, servers: readonly string[]): string | undefined {
  if (servers.includes(server)) return undefined;
  return `names no configured server: ${JSON.stringify(server)}${suggestion(server, servers)}`;
}

function repeated(rules: readonly Rule[], index: number): string | undefined {
  const id = rules[index]?.id;
  const first = rules.findIndex((rule) => rule.id === id);
  if (id === undefined || first === index) return undefined;
  return `has the id of rules[${first}] too: what is decided by either is told under one name`;
}

const faces = ["code", "call_tool", "cli", "exposed", "library", "playground"];

/** Skills have any name. */
function unknownFaces({ via }: Match): string[] {
  if (via === undefined) return [];
  const missing = listOf(via).filter((glob) => !glob.startsWith("skill:") && !faces.some(textTest(glob)));
  return missing.map((glob) => `names no face: ${JSON.stringify(glob)}${suggestion(glob, faces)}`);
}

const ownActs = [
  ...["packages.install", "skills.save", "skills.delete", "registry.add", "registry.remove"],
  ...["workspace.commit", "network:"],
];

/** What we do ourselves; a host may be any. */
function unknownActs({ server, tool, kind = "tool" }: Match): string[] {
  if (!listOf(kind).includes("own") || listOf(kind).length > 1) return [];
  const missing = tool === undefined ? [] : listOf(tool).filter((glob) => !isOwnAct(glob));
  const acts = missing.map((glob) => `names no act of our own: ${JSON.stringify(glob)}${suggestion(glob, ownActs)}`);
  if (server === undefined || textTest(server)("coordinator")) return acts;
  return [...acts, 'fits nothing: the server of our own acts is "coordinator"'];
}

function isOwnAct(glob: string): boolean {
  return glob.startsWith("network:") || ownActs.some(textTest(glob));
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
  const unfit = server === undefined ? [] : listOf(server).filter((glob) => !servers.some(textTest(glob)));
  const meant = servers.filter(server === undefined ? () => true : textTest(server));
  const tools = meant.flatMap((name) => known.get(name) ?? []);
  // Of a server that was never asked nobody knows what it lacks.
  const isKnown = meant.length > 0 && meant.every((name) => known.get(name) !== undefined);
  const missing = tool === undefined || !isKnown ? [] : listOf(tool).filter((glob) => !tools.some(textTest(glob)));
  return [
    ...unfit.map((glob) => `names no configured server: ${JSON.stringify(glob)}${suggestion(glob, servers)}`),
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
