import { isIdentifier, libraryReserved, moduleReserved } from "../catalog/names.ts";
import type { Library, Tool } from "../catalog/tool.ts";

/**
 * The tools that can be exports of the library's module. The catalog makes every identifier legal and distinct; one that is not would
 * become code here, so it is left out, and the tool stays reachable by `call`.
 */
export function importableTools({ tools }: Library): Tool[] {
  const seen = new Set(libraryReserved);
  return tools.filter(({ identifier }) => {
    if (!isIdentifier(identifier) || seen.has(identifier)) return false;
    seen.add(identifier);
    return true;
  });
}

/** The libraries that can be modules and files. */
export function importableLibraries(libraries: readonly Library[]): Library[] {
  return libraries.filter(({ module }) => isIdentifier(module) && !moduleReserved.has(module));
}
