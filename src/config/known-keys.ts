import * as z from "zod";
import type { Path } from "./document.ts";

type Schema = z.core.$ZodType;

/** The keys that `schema` knows for the object at `path`. */
export function knownKeys(schema: Schema, path: Path): readonly string[] {
  const found = path.reduce<Schema | undefined>(memberSchema, schema);
  const object = found && unwrapped(found);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function memberSchema(schema: Schema | undefined, key: string | number): Schema | undefined {
  const bare = schema && unwrapped(schema);
  if (bare instanceof z.ZodObject) return bare.shape[key];
  if (bare instanceof z.ZodRecord) return bare.valueType;
  if (bare instanceof z.ZodArray) return bare.element;
  return undefined;
}

function unwrapped(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.find((option) => option instanceof z.ZodObject) ?? schema;
  return schema;
}
