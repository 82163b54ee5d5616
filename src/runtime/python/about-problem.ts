import type { Problem } from "../checks/problem.ts";
import { callAt, type GuestSource, ownFunction } from "./guest-source.ts";
import { importedNames } from "./import-statement.ts";
import type { PyrightFinding } from "./pyright-finding.ts";
import { nodesAround, nodesOf, type SyntaxNode } from "./syntax-tree.ts";

/** The servers and tools that a finding is about: those of its call or import, else all whose results the code works with. */
export function aboutProblem(guest: GuestSource, finding: PyrightFinding): NonNullable<Problem["about"]> {
  const statement = nodesAround(guest.tree, finding.from).find(({ name }) => name === "ImportStatement");
  if (statement) {
    return importedNames(guest.source, statement).flatMap(({ module, member }) =>
      serverOf(guest, `${module}.${member}`),
    );
  }
  const around = callAt(guest, finding);
  const own = around ? toolOf(guest, around) : [];
  if (own.length > 0) return own;
  const all = nodesOf(guest.tree, "CallExpression").flatMap((call) => toolOf(guest, call));
  return [...new Map(all.map((one) => [`${one.server} ${one.tool}`, one])).values()];
}

function toolOf(guest: GuestSource, call: SyntaxNode): { server: string; tool?: string }[] {
  const own = ownFunction(guest, call.firstChild);
  const [found] = own ? serverOf(guest, own.path) : [];
  return found ? [{ ...found, ...(own?.tool && { tool: own.tool.name }) }] : [];
}

function serverOf({ libraries }: GuestSource, path: string): { server: string }[] {
  const [, module] = /^mcp_tools\.(?:aio\.)?(\w+)/.exec(path) ?? [];
  const library = libraries.find((one) => one.module === module);
  return library ? [{ server: library.server }] : [];
}
