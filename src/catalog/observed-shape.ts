import { type Fields, isFields } from "../system/fields.ts";
import { isPlainKey } from "./plain-key.ts";

type Scalar = "boolean" | "integer" | "null" | "number" | "string";

/** What the values at one place had in common: keys and types, never values. Plain JSON, since it is kept. */
export interface ObservedShape {
  /** How many values were seen. */
  readonly seen: number;
  /** Sorted. */
  readonly scalars?: readonly Scalar[];
  readonly array?: { readonly items?: ObservedShape };
  readonly object?: ObservedObject;
  /** Some of what was there was too much, or too deep, to be looked at. */
  readonly cut?: true;
}

interface ObservedObject {
  readonly seen: number;
  /** One that was not seen as often as the object is optional. */
  readonly fields: { readonly [name: string]: ObservedShape };
  /** What stood under keys that are data. */
  readonly others?: ObservedShape;
  /** All of its keys are data, also those that look like names. */
  readonly isMap?: true;
}

const maxDepth = 8;
const maxValues = 3_000;
const sampledItems = 30;
const mostFields = 60;
const mostPlaces = 400;
/** So many neighbours of the same shape are entries of a map, whatever their keys look like. */
const fewestEntries = 5;

/** The shape of one value. Looks at a bounded part of it. */
export function observe(value: unknown): ObservedShape {
  return look(value, 0, { left: maxValues });
}

function look(value: unknown, depth: number, budget: { left: number }): ObservedShape {
  budget.left--;
  if (depth > maxDepth || budget.left < 0) return { seen: 1, cut: true };
  if (Array.isArray(value)) {
    const items = sample(value).map((item) => look(item, depth + 1, budget));
    return { seen: 1, array: items.length > 0 ? { items: items.reduce(mergeShapes) } : {} };
  }
  if (isFields(value)) return { seen: 1, object: lookAtObject(value, depth, budget) };
  return { seen: 1, scalars: [scalarOf(value)] };
}

/** Evenly from the whole, the first and the last among them. */
function sample<Item>(items: readonly Item[]): readonly Item[] {
  if (items.length <= sampledItems) return items;
  const step = (items.length - 1) / (sampledItems - 1);
  const positions = Array.from({ length: sampledItems }, (_, position) => Math.round(position * step));
  return positions.flatMap((position) => items.slice(position, position + 1));
}

function lookAtObject(value: Fields, depth: number, budget: { left: number }): ObservedObject {
  const keys = Object.keys(value);
  const fields = new Map<string, ObservedShape>();
  let others: ObservedShape | undefined;
  for (const key of keys.length > mostFields ? sample(keys) : keys) {
    const shape = look(value[key], depth + 1, budget);
    if (keys.length <= mostFields && isPlainKey(key)) fields.set(key, shape);
    else others = mergeOptional(others, shape);
  }
  const isMap = keys.length > mostFields;
  return tidy({ seen: 1, fields: Object.fromEntries(fields), ...(others && { others }), ...(isMap && { isMap }) });
}

function scalarOf(value: unknown): Scalar {
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value === "string" ? "string" : typeof value === "boolean" ? "boolean" : "null";
}

/** What both have seen together. The order plays no role, but for objects that turn out to be maps. */
export function mergeShapes(left: ObservedShape, right: ObservedShape): ObservedShape {
  const scalars = mergeScalars([...(left.scalars ?? []), ...(right.scalars ?? [])]);
  const items = mergeOptional(left.array?.items, right.array?.items);
  const object = left.object && right.object ? mergeObjects(left.object, right.object) : (left.object ?? right.object);
  return {
    seen: left.seen + right.seen,
    ...(scalars.length > 0 && { scalars }),
    ...((left.array || right.array) && { array: items ? { items } : {} }),
    ...(object && { object }),
    ...((left.cut || right.cut) && { cut: true }),
  };
}

function mergeOptional(left: ObservedShape | undefined, right: ObservedShape | undefined): ObservedShape | undefined {
  return left && right ? mergeShapes(left, right) : (left ?? right);
}

function mergeScalars(scalars: readonly Scalar[]): Scalar[] {
  const all = new Set(scalars);
  if (all.has("number")) all.delete("integer");
  return [...all].sort();
}

function mergeObjects(left: ObservedObject, right: ObservedObject): ObservedObject {
  const fields = new Map(Object.entries(left.fields));
  for (const [name, shape] of Object.entries(right.fields)) {
    fields.set(name, mergeOptional(fields.get(name), shape) ?? shape);
  }
  const others = mergeOptional(left.others, right.others);
  return tidy({
    seen: left.seen + right.seen,
    fields: Object.fromEntries(fields),
    ...(others && { others }),
    ...((left.isMap || right.isMap) && { isMap: true }),
  });
}

/** The fields of a map are entries: their names are data and go. */
function tidy(object: ObservedObject): ObservedObject {
  const shapes = Object.values(object.fields);
  if (shapes.length === 0 || !(object.isMap || looksLikeMap(object, shapes))) return object;
  const others = shapes.reduce<ObservedShape | undefined>(mergeOptional, object.others);
  return { seen: object.seen, fields: {}, ...(others && { others }), isMap: true };
}

function looksLikeMap({ seen }: ObservedObject, shapes: readonly ObservedShape[]): boolean {
  if (shapes.length > mostFields) return true;
  if (shapes.length < fewestEntries) return false;
  const kinds = new Set(shapes.map(kindOf));
  if (kinds.size > 1) return false;
  const [kind = ""] = kinds;
  if (kind.startsWith("object:") && kind.includes(",")) return true;
  // The same few fields come again in every result; entries do not.
  const presence = shapes.reduce((sum, shape) => sum + shape.seen, 0) / (shapes.length * seen);
  return seen >= 3 && presence < 0.4;
}

/** Equal for shapes that could be entries of one map. */
function kindOf({ scalars = [], array, object }: ObservedShape): string {
  if (object) return `object:${Object.keys(object.fields).sort().join()}`;
  return array ? "array" : scalars.filter((scalar) => scalar !== "null").join() || "null";
}

/** The shape with its deepest parts left out, if it has grown too large to be kept. */
export function withinBounds(shape: ObservedShape): ObservedShape {
  let kept = shape;
  for (let depth = maxDepth; depth > 0 && placesIn(kept) > mostPlaces; depth--) kept = cutBelow(kept, depth);
  return kept;
}

function placesIn(shape: ObservedShape): number {
  return childrenOf(shape).reduce((sum, child) => sum + placesIn(child), 1);
}

function childrenOf({ array, object }: ObservedShape): ObservedShape[] {
  return [array?.items, object?.others, ...Object.values(object?.fields ?? {})].filter((child) => child !== undefined);
}

function cutBelow(shape: ObservedShape, depth: number): ObservedShape {
  const { array, object, ...rest } = shape;
  if (depth === 0) return array || object ? { ...rest, cut: true } : rest;
  const below = (child: ObservedShape) => cutBelow(child, depth - 1);
  return {
    ...rest,
    ...(array && { array: array.items ? { items: below(array.items) } : {} }),
    ...(object && {
      object: {
        ...object,
        fields: Object.fromEntries(Object.entries(object.fields).map(([name, child]) => [name, below(child)])),
        ...(object.others && { others: below(object.others) }),
      },
    }),
  };
}
