import { type BindingPattern, Visitor } from "oxc-parser";
import type { ParsedProgram } from "./syntax.ts";

/** All names that a program binds, wherever it does. */
export function namesDefined(program: ParsedProgram): string[] {
  const names: string[] = [];
  const add = (pattern: BindingPattern | { readonly type: string } | null): void => {
    if (pattern && "name" in pattern && typeof pattern.name === "string") names.push(pattern.name);
  };
  const define = ({ id }: { readonly id: BindingPattern | null }): void => add(id);
  new Visitor({
    ImportSpecifier: ({ local }) => add(local),
    ImportDefaultSpecifier: ({ local }) => add(local),
    ImportNamespaceSpecifier: ({ local }) => add(local),
    VariableDeclarator: define,
    FunctionDeclaration: define,
    ClassDeclaration: define,
    ArrayPattern: ({ elements }) => elements.forEach(add),
    ObjectPattern: ({ properties }) => {
      for (const property of properties) add(property.type === "Property" ? property.value : property.argument);
    },
  }).visit(program);
  return names;
}
