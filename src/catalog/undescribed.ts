import type { JsonSchema, Tool } from "./tool.ts";

const describing = ["properties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf"];

/** Whether nothing can be learned from a tool's input schema, not even that it takes no arguments. */
export function isUndescribed({ inputSchema }: { readonly inputSchema: JsonSchema }): boolean {
  if (typeof inputSchema === "boolean") return true;
  if (describing.some((keyword) => Object.hasOwn(inputSchema, keyword))) return false;
  return inputSchema["type"] !== "object" || (inputSchema["additionalProperties"] ?? false) !== false;
}

/** The names of those of which nothing is known, for people: not too many of them. */
export function undescribedNames(tools: readonly Tool[]): string {
  const names = tools.filter(isUndescribed).map(({ identifier }) => identifier);
  const rest = names.length - 20;
  return names.slice(0, 20).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}
