import { type CallExpression, type Expression, type ParseResult, Visitor } from "oxc-parser";
import type { Declared } from "../compiled.ts";

/** Where a text uses the module `coordinator`, whatever it calls what it has of it. */
export interface OwnCalls {
  /** The function that the innermost call around a place is of: `artifacts.save`. */
  functionAt(offset: number): string | undefined;
  /** What it is that a member is asked of, at a place. */
  groupAt(offset: number): string | undefined;
}

export function ownCalls({ program, module }: ParseResult, kept: readonly Declared[] = []): OwnCalls {
  const known = ([root = "", ...members]: string[]): string | undefined => {
    const imported = module.staticImports
      .filter(({ moduleRequest }) => moduleRequest.value === "coordinator")
      .flatMap(({ entries }) => entries)
      .find(({ localName }) => localName.value === root);
    const from = kept.find(({ name }) => name === root)?.from;
    const member = imported?.importName.name ?? (from?.specifier === "coordinator" ? from.member : undefined);
    if (!imported && member === undefined) return undefined;
    return [...(member === undefined || member === "*" ? [] : [member]), ...members].join(".");
  };
  return {
    functionAt(offset) {
      let innermost: CallExpression | undefined;
      new Visitor({
        CallExpression: (node) => {
          if (node.start <= offset && offset < node.end) innermost = node;
        },
      }).visit(program);
      return known(pathOf(innermost?.callee));
    },
    groupAt(offset) {
      let path: string[] = [];
      new Visitor({
        MemberExpression: ({ property, object }) => {
          if (property.start === offset) path = pathOf(object);
        },
      }).visit(program);
      return known(path);
    },
  };
}

/** `["artifacts", "save"]` of `artifacts.save`. */
function pathOf(callee: Expression | undefined): string[] {
  if (callee?.type === "Identifier") return [callee.name];
  if (callee?.type !== "MemberExpression" || callee.property.type !== "Identifier") return [];
  return [...pathOf(callee.object), callee.property.name];
}
