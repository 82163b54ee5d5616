import { type CallExpression, type Expression, type ParseResult, Visitor } from "oxc-parser";
import type { Library, Tool } from "../../catalog/tool.ts";
import type { Declared } from "../compiled.ts";

/** A call of a function that was imported from a library or from one of our own modules. */
interface ImportedCall {
  readonly start: number;
  readonly end: number;
  readonly library?: Library | undefined;
  /** The tool, when it is one by its name. */
  readonly tool?: Tool | undefined;
}

/** Where a text calls what it has imported. */
export interface ImportedCalls {
  /** The call around a place, unless another one is between. */
  at(offset: number): ImportedCall | undefined;
  /** The tools that the text imports by their names, or calls. */
  readonly tools: readonly { readonly server: string; readonly tool: string }[];
}

export function isOurs(specifier: string): boolean {
  return /^(mcp_tools|coordinator|skills)(\/|$)/.test(specifier);
}

export function importedCalls(
  { program, module }: ParseResult,
  kept: readonly Declared[],
  libraries: readonly Library[],
): ImportedCalls {
  const imported = new Map<string, { readonly specifier: string; readonly member: string }>();
  for (const { name, from } of kept) if (from && isOurs(from.specifier)) imported.set(name, from);
  for (const { moduleRequest, entries } of module.staticImports) {
    if (!isOurs(moduleRequest.value)) continue;
    for (const { localName, importName } of entries) {
      const member = importName.kind === "NamespaceObject" ? "*" : (importName.name ?? localName.value);
      imported.set(localName.value, { specifier: moduleRequest.value, member });
    }
  }
  const toolOf = (specifier: string, member: string) => {
    const library = libraries.find(({ module: name }) => specifier === `mcp_tools/${name}`);
    return { library, tool: library?.tools.find(({ identifier }) => identifier === member) };
  };
  const calls: (ImportedCall | (Pick<ImportedCall, "start" | "end"> & { readonly isOther: true }))[] = [];
  new Visitor({
    CallExpression({ start, end, callee }) {
      const from = imported.get(rootName(callee));
      if (!from) calls.push({ start, end, isOther: true });
      else
        calls.push({ start, end, ...toolOf(from.specifier, from.member === "*" ? propertyOf(callee) : from.member) });
    },
  }).visit(program);
  const named = [...imported.values()].map(({ specifier, member }) => toolOf(specifier, member));
  const called = calls.map((call) => ("isOther" in call ? {} : call));
  return {
    at(offset) {
      // What is visited later is further inside, where it is around the place at all.
      const innermost = calls.findLast(({ start, end }) => start <= offset && offset < end);
      return innermost && !("isOther" in innermost) ? innermost : undefined;
    },
    tools: [...named, ...called].flatMap(({ library, tool }: Partial<ImportedCall>) =>
      library && tool ? [{ server: library.server, tool: tool.name }] : [],
    ),
  };
}

function rootName(callee: CallExpression["callee"] | Expression): string {
  if (callee.type === "Identifier") return callee.name;
  return callee.type === "MemberExpression" ? rootName(callee.object) : "";
}

function propertyOf(callee: CallExpression["callee"]): string {
  if (callee.type !== "MemberExpression") return "";
  return callee.property.type === "Identifier" && !callee.computed ? callee.property.name : "";
}
