import { matchesGlob } from "../catalog/glob.ts";
import type { ImportPolicy } from "./engine.ts";

const ours = /^(mcp_tools|coordinator|skills)(?=$|[/.])/;

/** Why a guest may not import a module, or undefined when it may. A rule about what code may use, not the sandbox. */
export function importProblem({ allow, deny }: ImportPolicy, specifier: string): string | undefined {
  if (ours.test(specifier)) return undefined;
  const names = namesOf(specifier);
  const isNamed = (patterns: readonly string[]) =>
    names.some((name) => patterns.some((pattern) => matchesGlob(name, pattern)));
  if (isNamed(allow) && !isNamed(deny)) return undefined;
  return `The import of "${specifier}" is not allowed (coordinator.sandbox.imports)`;
}

/** A module and the packages that hold it, with and without Node's prefix: a rule for `os` is one for `os.path`. */
function namesOf(specifier: string): string[] {
  const bare = specifier.replace(/^node:/, "");
  const parts = bare.split(/([/.])/);
  const holders = parts.flatMap((_part, index) => (index % 2 === 0 ? [parts.slice(0, index + 1).join("")] : []));
  return specifier === bare ? holders : [...holders, ...holders.map((name) => `node:${name}`)];
}
