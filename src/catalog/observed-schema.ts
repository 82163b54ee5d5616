import type { ObservedShape } from "./observed-shape.ts";
import type { JsonSchema } from "./tool.ts";

/** What was observed as the schema that a server could have declared: all of it fits, and more may. */
export function observedSchema(shape: ObservedShape): JsonSchema {
  const { scalars = [], array, object, cut } = shape;
  if (cut) return {};
  const choices: JsonSchema[] = scalars.map((type) => ({ type }));
  if (array) choices.unshift({ type: "array", items: array.items ? observedSchema(array.items) : {} });
  if (object) choices.unshift(objectSchema(object));
  const [first = {}, second] = choices;
  // Of a place that was always null, nothing is known.
  if (second === undefined) return scalars[0] === "null" ? {} : first;
  return { anyOf: choices };
}

function objectSchema({ seen, fields, others }: NonNullable<ObservedShape["object"]>): JsonSchema {
  const entries = Object.entries(fields);
  const required = entries.filter(([, field]) => field.seen === seen).map(([name]) => name);
  return {
    type: "object",
    ...(entries.length > 0 && {
      properties: Object.fromEntries(entries.map(([name, field]) => [name, observedSchema(field)])),
    }),
    ...(required.length > 0 && { required }),
    ...(others && { additionalProperties: observedSchema(others) }),
  };
}
