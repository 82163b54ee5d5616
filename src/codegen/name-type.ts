import { quote } from "./quote.ts";

/** A string type that suggests the given names and takes any other. */
export function nameType(names: readonly string[]): string {
  const suggested = [...new Set(names)].filter((name) => name.length <= 128).map(quote);
  return suggested.length === 0 ? "string" : [...suggested, "(string & {})"].join(" | ");
}
