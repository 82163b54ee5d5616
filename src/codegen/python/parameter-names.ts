import { identifiers } from "../../catalog/names.ts";
import type { Tool } from "../../catalog/tool.ts";
import { isPythonIdentifier, pythonKeywords } from "./identifier.ts";
import { parametersOf } from "./parameters.ts";

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
