import { isFields } from "../system/fields.ts";

/** The keywords that are read. A server may have put anything into each. */
export interface SchemaObject {
  readonly $ref?: unknown;
  readonly type?: unknown;
  readonly enum?: unknown;
  readonly const?: unknown;
  readonly nullable?: unknown;
  readonly allOf?: unknown;
  readonly anyOf?: unknown;
  readonly oneOf?: unknown;
  readonly properties?: unknown;
  readonly required?: unknown;
  readonly additionalProperties?: unknown;
  readonly unevaluatedProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly items?: unknown;
  readonly prefixItems?: unknown;
  readonly additionalItems?: unknown;
  readonly minItems?: unknown;
  readonly maxItems?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly exclusiveMinimum?: unknown;
  readonly exclusiveMaximum?: unknown;
  readonly minLength?: unknown;
  readonly maxLength?: unknown;
  readonly pattern?: unknown;
  readonly format?: unknown;
  readonly default?: unknown;
  readonly examples?: unknown;
  readonly description?: unknown;
  readonly title?: unknown;
}

export function isSchemaObject(value: unknown): value is SchemaObject {
  return isFields(value);
}

/** The schema that a reference within `root` points at by JSON pointer; undefined for any other reference. Nothing is fetched. */
export function resolveReference(root: unknown, reference: unknown): unknown {
  if (reference === "#") return root;
  if (typeof reference !== "string" || !reference.startsWith("#/") || reference.length > 1_000) return undefined;
  let found: unknown = root;
  for (const segment of reference.slice(2).split("/")) {
    const key = decoded(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    // Not percent-encoded after all: authors write names such as "50%" as they are.
    return segment;
  }
}
