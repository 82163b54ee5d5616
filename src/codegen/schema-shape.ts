import { cutEagerCycles } from "./eager-cycles.ts";
import { isSchemaObject, resolveReference, type SchemaObject } from "./schema-object.ts";
import {
  type Definition,
  type Field,
  intersection,
  maximumDepth,
  partsOf,
  type Shape,
  tooDeep,
  tooLarge,
  union,
  unknownShape,
} from "./shape.ts";

const maximumNodes = 20_000;
const maximumDefinitions = 200;

interface Walk {
  readonly root: unknown;
  readonly definitions: Map<unknown, Definition>;
  nodesLeft: number;
}

/** The shape of any value that claims to be a schema, of draft-07 or 2020-12. Never throws; depth, size and references are bounded. */
export function shapeOf(schema: unknown, hint: string): Definition {
  const walk: Walk = { root: schema, definitions: new Map(), nodesLeft: maximumNodes };
  const root: Definition = { hint, shape: unknownShape, uses: 1 };
  walk.definitions.set(schema, root);
  // The walk of one definition adds those that it refers to: the loop sees them, the call stack does not.
  for (const [target, definition] of walk.definitions) definition.shape = walkSchema(walk, target, 0);
  cutEagerCycles(walk.definitions.values());
  for (const definition of walk.definitions.values()) countUses(definition.shape);
  return root;
}

function countUses(shape: Shape): void {
  if (shape.kind === "reference") shape.target.uses += 1;
  for (const part of partsOf(shape)) countUses(part);
}

function walkSchema(walk: Walk, schema: unknown, depth: number): Shape {
  walk.nodesLeft -= 1;
  if (walk.nodesLeft < 0) return tooLarge;
  if (schema === false) return { kind: "never" };
  if (!isSchemaObject(schema)) return unknownShape;
  if (depth > maximumDepth) return tooDeep;
  const each = (schemas: unknown) => listOf(schemas).map((member) => walkSchema(walk, member, depth + 1));
  const parts = [referenceShape(walk, schema), ownShape(walk, schema, depth), ...each(schema.allOf)];
  for (const choices of [schema.anyOf, schema.oneOf]) if (listOf(choices).length > 0) parts.push(union(each(choices)));
  const shape = intersection(parts);
  return schema.nullable === true ? union([shape, { kind: "primitive", name: "null" }]) : shape;
}

function referenceShape(walk: Walk, schema: SchemaObject): Shape {
  const target = resolveReference(walk.root, schema.$ref);
  if (!isSchemaObject(target)) return target === false ? { kind: "never" } : unknownShape;
  let definition = walk.definitions.get(target);
  if (definition === undefined) {
    if (walk.definitions.size >= maximumDefinitions) return tooLarge;
    definition = { hint: String(schema.$ref).split("/").at(-1) ?? "", shape: unknownShape, uses: 0 };
    walk.definitions.set(target, definition);
  }
  return { kind: "reference", target: definition };
}

function ownShape(walk: Walk, schema: SchemaObject, depth: number): Shape {
  if (schema.const !== undefined) return literalShape(walk, schema.const, depth);
  const values = listOf(schema.enum);
  if (values.length > walk.nodesLeft) return tooLarge;
  if (values.length > 0) return union(values.map((value) => literalShape(walk, value, depth)));
  const types = typesOf(schema);
  return types.length === 0 ? unknownShape : union(types.map((type) => typedShape(walk, schema, type, depth)));
}

function literalShape(walk: Walk, value: unknown, depth: number): Shape {
  if (depth > maximumDepth) return tooDeep;
  walk.nodesLeft -= 1;
  if (walk.nodesLeft < 0) return tooLarge;
  if (value === null || typeof value === "string" || typeof value === "boolean") return { kind: "literal", value };
  // A JSON text may hold 1e999, which no number literal can say.
  if (typeof value === "number")
    return Number.isFinite(value) ? { kind: "literal", value } : { kind: "primitive", name: "number" };
  if (Array.isArray(value)) {
    const items = value.map((item) => literalShape(walk, item, depth + 1));
    return { kind: "tuple", items, required: items.length };
  }
  if (typeof value !== "object") return unknownShape;
  const fields = Object.entries(value).map(([name, member]): Field => {
    return { name, required: true, shape: literalShape(walk, member, depth + 1), about: [] };
  });
  return { kind: "object", fields, closed: true };
}

/** The `type` keyword as a list; where it is missing, the type that the other keywords speak about. */
function typesOf(schema: SchemaObject): string[] {
  if (typeof schema.type === "string") return [schema.type];
  const types = listOf(schema.type)
    .slice(0, 20)
    .filter((type) => typeof type === "string");
  if (types.length > 0) return [...new Set(types)];
  const aboutObjects = [schema.properties, schema.patternProperties, schema.additionalProperties].some(isSchemaObject);
  if (aboutObjects || listOf(schema.required).length > 0) return ["object"];
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ["array"];
}

function typedShape(walk: Walk, schema: SchemaObject, type: string, depth: number): Shape {
  switch (type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "null":
      return { kind: "primitive", name: type };
    case "array":
      return arrayShape(walk, schema, depth);
    case "object":
      return objectShape(walk, schema, depth);
    default:
      return unknownShape;
  }
}

function arrayShape(walk: Walk, schema: SchemaObject, depth: number): Shape {
  const [positions, others] = Array.isArray(schema.prefixItems)
    ? [schema.prefixItems, schema.items]
    : [listOf(schema.items), schema.additionalItems];
  if (positions.length === 0) return { kind: "array", items: walkSchema(walk, schema.items, depth + 1) };
  const items = positions.map((item) => walkSchema(walk, item, depth + 1));
  // Authors of tuples mean every position; only an explicit, smaller minimum makes the last ones optional.
  const required = typeof schema.minItems === "number" ? Math.min(schema.minItems, items.length) : items.length;
  if (others !== true && !isSchemaObject(others)) return { kind: "tuple", items, required };
  return { kind: "tuple", items, required, rest: walkSchema(walk, others, depth + 1) };
}

function objectShape(walk: Walk, schema: SchemaObject, depth: number): Shape {
  const required = new Set(listOf(schema.required).filter((name) => typeof name === "string"));
  walk.nodesLeft -= required.size;
  const properties = isSchemaObject(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = properties.map(([name, property]): Field => {
    const shape = walkSchema(walk, property, depth + 1);
    return { name, required: required.delete(name), shape, about: aboutOf(walk, property) };
  });
  for (const name of required) fields.push({ name, required: true, shape: unknownShape, about: [] });
  const patterns = isSchemaObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const extra = schema.additionalProperties;
  const values = extra === true || isSchemaObject(extra) ? [...patterns, extra] : patterns;
  const closed = extra === false || schema.unevaluatedProperties === false;
  if (values.length === 0) return { kind: "object", fields, closed };
  const index = union(values.map((value) => walkSchema(walk, value, depth + 1)));
  return { kind: "object", fields, index, closed };
}

/** A property's schema, what it refers to, and its only alternative beside null: an optional one is often written that way. */
function aboutOf(walk: Walk, property: unknown): SchemaObject[] {
  if (!isSchemaObject(property)) return [];
  const choices = [...listOf(property.anyOf), ...listOf(property.oneOf), ...listOf(property.allOf)].filter(
    isSchemaObject,
  );
  const [choice, ...others] = choices.filter((member) => member.type !== "null");
  const about = choice !== undefined && others.length === 0 ? [property, choice] : [property];
  return [...about, ...about.map((schema) => resolveReference(walk.root, schema.$ref)).filter(isSchemaObject)];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
