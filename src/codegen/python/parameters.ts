import type { Tool } from "../../catalog/tool.ts";
import { isSchemaObject } from "../schema-object.ts";
import { shapeOf } from "../schema-shape.ts";
import { type Field, type Shape, unknownShape } from "../shape.ts";
import { mergeObjects } from "./merged-object.ts";

/** What a tool takes, as the keyword parameters of a function. */
export interface Parameters {
  /** The top-level properties, under their exact names. */
  readonly fields: readonly Field[];
  /** What every other argument must be; absent when there may be no other. */
  readonly others?: Shape;
}

export function parametersOf({ inputSchema }: Tool): Parameters {
  const merged = mergeObjects(shapeOf(inputSchema, "Input").shape, { onlyObjects: true });
  if (merged === undefined) return { fields: [], others: unknownShape };
  const { fields, index, closed } = merged;
  if (index) return { fields, others: index };
  // An empty list of properties means a tool without parameters; no list at all means that nothing is said.
  const saysNothing =
    fields.length === 0 && !closed && !(isSchemaObject(inputSchema) && isSchemaObject(inputSchema.properties));
  return saysNothing ? { fields, others: unknownShape } : { fields };
}
