import { sortedJson } from "../../catalog/sorted-json.ts";
import { isFields } from "../../system/fields.ts";
import { filledIn } from "../annotations.ts";
import { compareSchemas, type Drift } from "./compare-schemas.ts";
import type { Definition } from "./definition.ts";

/** What has become of a definition that was accepted; undefined when it is the same, but for parts that do not matter here. */
export function comparePinned(
  before: Definition,
  after: Definition,
  ignored: readonly string[] = [],
): (Drift & { readonly isNarrower: boolean }) | undefined {
  if (JSON.stringify(before.parts) === JSON.stringify(after.parts)) return undefined; // nearly always
  const parts = [...new Set([...Object.keys(before.parts), ...Object.keys(after.parts)])];
  const changed = parts.filter(
    (part) => !ignored.includes(part) && sortedJson(before.parts[part]) !== sortedJson(after.parts[part]),
  );
  if (changed.length === 0) return undefined;
  const drifts = changed.map((part) => driftOf(before, after, part));
  const [wider, narrower] = [drifts.flatMap((drift) => drift.wider), drifts.flatMap((drift) => drift.narrower)];
  return { wider, narrower, isNarrower: wider.length === 0 };
}

function driftOf({ kind, parts: before }: Definition, { parts: after }: Definition, part: string): Drift {
  if (kind === "tool" && part === "inputSchema") return compareSchemas(before[part], after[part]);
  if (kind === "tool" && part === "annotations") return compareAnnotations(before[part], after[part]);
  if (kind === "tool" && part === "outputSchema") return compareOutput(before[part], after[part]);
  return { wider: [`${part} reworded`], narrower: [] };
}

/** Each claim that makes a tool look less dangerous is wider: rules go by it. */
const saferWhen = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

function compareAnnotations(before: unknown, after: unknown): Drift {
  const [old, now] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  const drift = { wider: [] as string[], narrower: [] as string[] };
  const [filledOld, filledNow] = [filledIn(old), filledIn(now)];
  for (const [hint, safe] of Object.entries(saferWhen)) {
    const name = hint as keyof typeof saferWhen;
    if (filledOld[name] === filledNow[name]) continue;
    (filledNow[name] === safe ? drift.wider : drift.narrower).push(`${name} is ${filledNow[name]} now`);
  }
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (!(key in saferWhen) && sortedJson(old[key]) !== sortedJson(now[key])) drift.wider.push(`${key} reworded`);
  }
  return drift.wider.length + drift.narrower.length > 0
    ? drift
    : { wider: [], narrower: ["the same claims in other words"] };
}

/** What a tool answers is no argument of anybody's; only the texts in it matter, which a model may read. */
function compareOutput(before: unknown, after: unknown): Drift {
  if (textsIn(before) === textsIn(after)) return { wider: [], narrower: ["the shape of its results"] };
  return { wider: ["the texts about its results reworded"], narrower: [] };
}

/** Every text of a schema that is not a name or a part of its structure. */
function textsIn(schema: unknown): string {
  const texts: string[] = [];
  const open: { readonly value: unknown; readonly isStructure: boolean }[] = [{ value: schema, isStructure: false }];
  for (let one = open.pop(); one; one = open.pop()) {
    const { value, isStructure } = one;
    if (typeof value === "string" && !(isStructure && isName(value))) texts.push(value);
    if (Array.isArray(value)) for (const item of value) open.push({ value: item, isStructure });
    if (!isFields(value)) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!isName(key)) texts.push(key);
      open.push({ value: inner, isStructure: structure.has(key) && !isFields(inner) });
    }
  }
  return sortedJson(texts.sort());
}

const structure: ReadonlySet<string> = new Set(["type", "required", "format", "$ref"]);

/** What can say no more than what something is called. */
function isName(text: string): boolean {
  return /^[\w$#/.:-]{1,64}$/.test(text);
}
