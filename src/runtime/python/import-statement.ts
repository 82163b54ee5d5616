import { moduleReserved } from "../../catalog/names.ts";
import { childrenOf, type SyntaxNode } from "./syntax-tree.ts";

/** One name that an import statement binds: `import a.b as c`, or a member of `from a import b as c`. */
export interface ImportedName {
  /** The module as it is written, with its dots. */
  readonly module: string;
  /** What is taken from it; `*` is everything. Undefined when it is the module itself. */
  readonly member?: string | undefined;
  /** What it is called here; undefined for `*`. */
  readonly local?: string | undefined;
  readonly from: number;
}

const longestStatement = 5000;

export function importedNames(source: string, statement: SyntaxNode): ImportedName[] {
  if (statement.to - statement.from > longestStatement) return []; // for the check to refuse
  const parts = childrenOf(statement).filter(({ name }) => name !== "Comment" && name !== "(" && name !== ")");
  const text = (nodes: readonly SyntaxNode[]) => nodes.map(({ from, to }) => source.slice(from, to)).join("");
  const start = parts.findIndex(({ name }) => name === "import") + 1;
  if (start === 0) return [];
  const clauses = split(parts.slice(start));
  const origin = parts[0]?.name === "from" ? text(parts.slice(1, start - 1)) : undefined;
  return clauses.flatMap((clause) => {
    const as = clause.findIndex(({ name }) => name === "as");
    const named = text(as === -1 ? clause : clause.slice(0, as));
    const alias = as === -1 ? undefined : text(clause.slice(as + 1));
    const from = clause[0]?.from ?? statement.from;
    if (named === "") return [];
    if (origin === undefined) return [{ module: named, local: alias ?? named.split(".")[0], from }];
    return [{ module: origin, member: named, local: alias ?? (named === "*" ? undefined : named), from }];
  });
}

function split(parts: readonly SyntaxNode[]): SyntaxNode[][] {
  const clauses: SyntaxNode[][] = [[]];
  for (const part of parts) {
    if (part.name === ",") clauses.push([]);
    else clauses.at(-1)?.push(part);
  }
  return clauses.filter((clause) => clause.length > 0);
}

/** The server's module that an import means: of `mcp_tools`, or of its async twins. */
export function importedLibrary(module: string, member?: string): string | undefined {
  const path = member === undefined || member === "*" ? module : `${module}.${member}`;
  const [, library] = /^mcp_tools\.(?:aio\.)?(\w+)/.exec(path) ?? [];
  return library === undefined || moduleReserved.has(library) ? undefined : library;
}
