import { identifiers } from "../../catalog/names.ts";
import type { Tool } from "../../catalog/tool.ts";
import { isSchemaObject } from "../schema-object.ts";
import { shapeOf } from "../schema-shape.ts";
import { type Field, type Shape, unknownShape } from "../shape.ts";
import { isPythonIdentifier, pythonKeywords } from "./identifier.ts";
import { mergeObjects } from "./merged-object.ts";

/**
 * The keyword under which Python passes each top-level property of a tool's arguments: keyword to exact name. A property whose name is
 * a legal keyword parameter keeps it; the others get one by the rules of tool names, and never one that another property has.
 */
export function parameterNames(tool: Tool): ReadonlyMap<string, string> {
  const exact = parametersOf(tool).fields.map(({ name }) => name);
  const keywords = keywordsOf(exact);
  return new Map(exact.map((name) => [keywords.get(name) ?? name, name]));
}

/** The keyword of each exact name. */
export function keywordsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const legal = names.filter(isPythonIdentifier);
  const others = names.filter((name) => !isPythonIdentifier(name));
  const made = identifiers(others, new Set([...legal, ...pythonKeywords]));
  return new Map([...legal.map((name) => [name, name] as const), ...made]);
}

/** What a tool takes, as the keyword parameters of a function. */
interface Parameters {
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
