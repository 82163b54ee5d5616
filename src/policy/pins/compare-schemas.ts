import { sortedJson } from "../../catalog/sorted-json.ts";
import { isFields } from "../../system/fields.ts";

/** Which way a definition went: narrower lets less through; wider is everything else, and every text that was not there before. */
export interface Drift {
  readonly wider: readonly string[];
  readonly narrower: readonly string[];
}

/** Deeper than this nobody reads; what differs there counts as wider. */
const deepest = 40;

/** How one schema differs from another, in words that name the place. What is not understood counts as wider. */
export function compareSchemas(before: unknown, after: unknown, place = ""): Drift {
  const found = { wider: [] as string[], narrower: [] as string[] };
  compare(before, after, { place, depth: 0, found });
  return found;
}

interface At {
  readonly place: string;
  readonly depth: number;
  /** The fields that the object had before. */
  readonly fields?: ReadonlySet<string>;
  readonly found: { readonly wider: string[]; readonly narrower: string[] };
}

function compare(before: unknown, after: unknown, at: At): void {
  if (sortedJson(before) === sortedJson(after)) return;
  const what = at.place === "" ? "the arguments" : at.place;
  if (after === false) return void at.found.narrower.push(`${what}: takes nothing any more`);
  // What lets everything through is a schema without a condition.
  const [old, now] = [before === true ? {} : before, after === true ? {} : after];
  if (!isFields(old) || !isFields(now) || at.depth > deepest)
    return void at.found.wider.push(`${what}: other values are taken`);
  const fields = new Set(Object.keys(isFields(old["properties"]) ? old["properties"] : {}));
  for (const key of new Set([...Object.keys(old), ...Object.keys(now)])) {
    if (sortedJson(old[key]) === sortedJson(now[key])) continue;
    (keywords.get(key) ?? otherKeyword(key))(old[key], now[key], { ...at, fields });
  }
}

/** What is said of one keyword that differs; undefined where it is absent. */
type Keyword = (before: unknown, after: unknown, at: At) => void;

const keywords = new Map<string, Keyword>([
  ["type", (before, after, at) => tell(at, "type", isSubset(typesOf(after), typesOf(before)))],
  ["enum", compareValues("allowed values")],
  ["required", compareRequired],
  ["properties", compareProperties],
  ["$defs", compareNamed],
  ["definitions", compareNamed],
  ["items", compareInner("each element")],
  ["additionalProperties", compareInner("further fields")],
  ["propertyNames", compareInner("names of fields")],
  ["anyOf", compareValues("alternatives")],
  ["oneOf", compareValues("alternatives")],
  ["uniqueItems", (_before, after, at) => tell(at, "uniqueItems", after === true)],
  ...["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"].map(bound(1)),
  ...["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"].map(bound(-1)),
]);

function tell({ place, found }: At, what: string, isNarrower: boolean): void {
  const where = place === "" ? what : `${place}: ${what}`;
  if (isNarrower) found.narrower.push(`${where} narrower`);
  else found.wider.push(`${where} changed`);
}

/** Texts among them: what a model reads is part of what a tool is. */
function otherKeyword(key: string): Keyword {
  return (_before, _after, at) => tell(at, key, false);
}

function bound(direction: 1 | -1): (key: string) => [string, Keyword] {
  const isTighter = (before: unknown, after: unknown) =>
    typeof after === "number" && (before === undefined || direction * after > direction * Number(before));
  return (key) => [key, (before, after, at) => tell(at, key, isTighter(before, after))];
}

function compareRequired(before: unknown, after: unknown, at: At): void {
  const [old, now] = [namesOf(before), namesOf(after)];
  for (const name of now) {
    // One that nobody has been told of is as good as a new field.
    const drift = at.fields?.has(name) ? at.found.narrower : at.found.wider;
    if (!old.has(name)) drift.push(`${within(at, name)} is required now`);
  }
  for (const name of old) if (!now.has(name)) at.found.wider.push(`${within(at, name)} is not required any more`);
}

function compareProperties(before: unknown, after: unknown, at: At): void {
  const [old, now] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  for (const name of Object.keys(old)) {
    const place = within(at, name);
    if (!Object.hasOwn(now, name)) at.found.narrower.push(`${place} is gone`);
    else compare(old[name], now[name], { ...at, place, depth: at.depth + 1 });
  }
  for (const name of Object.keys(now)) if (!Object.hasOwn(old, name)) at.found.wider.push(`${within(at, name)} is new`);
}

/** Schemas that others refer to. */
function compareNamed(before: unknown, after: unknown, at: At): void {
  const [old, now] = [isFields(before) ? before : {}, isFields(after) ? after : {}];
  for (const name of Object.keys(old)) {
    if (Object.hasOwn(now, name))
      compare(old[name], now[name], { ...at, place: within(at, name), depth: at.depth + 1 });
    else at.found.narrower.push(`${within(at, name)} is gone`);
  }
  for (const name of Object.keys(now)) if (!Object.hasOwn(old, name)) at.found.wider.push(`${within(at, name)} is new`);
}

/** Fewer of what there was before. Values that were not there may say anything. */
function compareValues(what: string): Keyword {
  return (before, after, at) => {
    const [old, now] = [valuesOf(before), valuesOf(after)];
    tell(at, what, old !== undefined && now !== undefined && isSubset(now, old));
  };
}

function compareInner(what: string): Keyword {
  return (before = true, after = true, at) =>
    compare(before, after, { ...at, place: at.place === "" ? what : `${at.place}: ${what}`, depth: at.depth + 1 });
}

function within({ place }: At, name: string): string {
  return place === "" ? name : `${place}.${name}`;
}

const allTypes = ["array", "boolean", "integer", "null", "number", "object", "string"];

function typesOf(type: unknown): ReadonlySet<string> {
  if (type === undefined) return new Set(allTypes);
  const types = new Set((Array.isArray(type) ? type : [type]).map(String));
  return types.has("number") ? types.add("integer") : types;
}

/** Those of a list, as texts; undefined where it is absent: anything goes. */
function valuesOf(list: unknown): ReadonlySet<string> | undefined {
  return Array.isArray(list) ? new Set(list.map((value) => sortedJson(value))) : undefined;
}

function namesOf(list: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(list) ? list.filter((name) => typeof name === "string") : []);
}

function isSubset(inner: ReadonlySet<string>, outer: ReadonlySet<string>): boolean {
  return [...inner].every((value) => outer.has(value));
}
