import type { SchemaObject } from "./schema-object.ts";

/** The values that a schema allows, free of its dialect: the walk makes it, the printer of a language reads it. */
export type Shape =
  | { readonly kind: "unknown"; readonly why?: "too deep" | "too large" }
  | { readonly kind: "never" }
  | { readonly kind: "primitive"; readonly name: "string" | "number" | "integer" | "boolean" | "null" }
  | { readonly kind: "literal"; readonly value: string | number | boolean | null }
  | { readonly kind: "array"; readonly items: Shape }
  | { readonly kind: "tuple"; readonly items: readonly Shape[]; readonly required: number; readonly rest?: Shape }
  | { readonly kind: "object"; readonly fields: readonly Field[]; readonly index?: Shape; readonly closed: boolean }
  | { readonly kind: "union"; readonly members: readonly Shape[] }
  | { readonly kind: "intersection"; readonly members: readonly Shape[] }
  | { readonly kind: "reference"; readonly target: Definition };

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly shape: Shape;
  /** Where to look for its description, default and limits; the nearest first. */
  readonly about: readonly SchemaObject[];
}

/** A schema that references point at; the root of a schema is one too. */
export interface Definition {
  /** What the schema's author called it; any text. */
  readonly hint: string;
  shape: Shape;
  /** References to it, and one for the root's own use. Each cycle holds a definition with two or more. */
  uses: number;
}

/** How deep schemas are walked and types are nested; below, nothing is known. */
export const maximumDepth = 12;

export const unknownShape: Shape = { kind: "unknown" };
export const tooDeep: Shape = { kind: "unknown", why: "too deep" };
export const tooLarge: Shape = { kind: "unknown", why: "too large" };

export function union(members: readonly Shape[]): Shape {
  const possible = members.filter((member) => member.kind !== "never");
  const [first] = possible;
  if (first === undefined) return { kind: "never" };
  return (
    possible.find((member) => member.kind === "unknown") ??
    (possible.length === 1 ? first : { kind: "union", members: possible })
  );
}

export function intersection(members: readonly Shape[]): Shape {
  const impossible = members.find((member) => member.kind === "never");
  if (impossible !== undefined) return impossible;
  const known = members.filter((member) => member.kind !== "unknown");
  // An object without fields says nothing beside another part, and `Record<string, never> & T` would forbid all of T.
  const telling = known.filter((member) => !(member.kind === "object" && member.fields.length === 0 && !member.index));
  const kept = telling.length > 0 ? telling : known.slice(0, 1);
  const [first] = kept;
  if (first === undefined) return members.find((member) => member.kind === "unknown" && member.why) ?? unknownShape;
  return kept.length === 1 ? first : { kind: "intersection", members: kept };
}

/** The shapes directly inside a shape; a reference is not entered. */
export function partsOf(shape: Shape): readonly Shape[] {
  switch (shape.kind) {
    case "array":
      return [shape.items];
    case "tuple":
      return shape.rest ? [...shape.items, shape.rest] : shape.items;
    case "object": {
      const parts = shape.fields.map((field) => field.shape);
      return shape.index ? [...parts, shape.index] : parts;
    }
    case "union":
    case "intersection":
      return shape.members;
    default:
      return [];
  }
}
