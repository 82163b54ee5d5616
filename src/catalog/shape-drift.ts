import type { ObservedShape } from "./observed-shape.ts";

/** How later results differ from those before; each difference as a short phrase without values. */
export interface Drift {
  /** What a program that was written for the earlier results would trip over. */
  readonly breaking: readonly string[];
  /** What it would not notice: new keys, types where nothing was known. */
  readonly added: readonly string[];
}

const mostPhrases = 6;

export function driftBetween(known: ObservedShape, later: ObservedShape): Drift {
  const drift: Collected = { breaking: [], added: [] };
  compare("", known, later, drift);
  return { breaking: drift.breaking.slice(0, mostPhrases), added: drift.added.slice(0, mostPhrases) };
}

interface Collected {
  readonly breaking: string[];
  readonly added: string[];
}

function compare(path: string, known: ObservedShape, later: ObservedShape, drift: Collected): void {
  if (known.cut) return;
  const place = path === "" ? "the result" : path.replace(/^\./, "");
  const kinds = kindsOf(known);
  const news = kindsOf(later).filter(
    (kind) => !kinds.includes(kind) && !(kind === "integer" && kinds.includes("number")),
  );
  if (news.length > 0 && kinds.join() === "null") drift.added.push(`${place} is ${news.join(" or ")}`);
  else if (news.length > 0) drift.breaking.push(`${place} was ${kinds.join(" or ")}, now also ${news.join(" or ")}`);
  if (known.array?.items && later.array?.items) compare(`${path}[]`, known.array.items, later.array.items, drift);
  if (known.object && later.object) compareObjects(path, known.object, later.object, drift);
}

type ObservedObject = NonNullable<ObservedShape["object"]>;

function compareObjects(path: string, known: ObservedObject, later: ObservedObject, drift: Collected): void {
  for (const [name, field] of Object.entries(known.fields)) {
    const place = `${path}.${name}`;
    const now = Object.hasOwn(later.fields, name) ? later.fields[name] : undefined;
    if (now) compare(place, field, now, drift);
    const wasAlways = field.seen === known.seen;
    if (wasAlways && (now?.seen ?? 0) < later.seen && !later.isMap) {
      drift.breaking.push(`${place.slice(1)} was always there, now it is missing`);
    }
  }
  const names = known.isMap ? [] : Object.keys(later.fields).filter((name) => !Object.hasOwn(known.fields, name));
  drift.added.push(...names.map((name) => `${`${path}.${name}`.slice(1)} is new`));
  if (known.others && later.others) compare(`${path}[key]`, known.others, later.others, drift);
}

function kindsOf({ scalars = [], array, object }: ObservedShape): string[] {
  return [...(object ? ["object"] : []), ...(array ? ["array"] : []), ...scalars];
}
