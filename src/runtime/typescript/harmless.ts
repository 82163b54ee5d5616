import { type Expression, type ParseResult, Visitor } from "oxc-parser";
import type { Diagnostic } from "typescript/unstable/async";

/** What a text says of its own names: where the compiler's doubts do not matter at run time. */
export interface Precautions {
  /** Whether the place is gone when the code runs: types are, and imports of types. */
  isErased(offset: number): boolean;
  /** Whether the code asks by `typeof` whether there is such a name, or makes it a global itself. */
  isProvidedFor(name: string): boolean;
  /** Whether the place is an `import()` whose failure is caught. */
  isCaughtImport(offset: number): boolean;
}

interface Range {
  readonly start: number;
  readonly end: number;
}

export function precautionsIn(source: string, { program, module }: ParseResult): Precautions {
  const erased: Range[] = module.staticImports.flatMap(({ start, end, entries }) => {
    const types = entries.filter(({ isType }) => isType);
    return types.length > 0 && types.length === entries.length
      ? [{ start, end }]
      : types.map(({ importName, localName }) => {
          return { start: Math.min(importName.start ?? localName.start, localName.start), end: localName.end };
        });
  });
  const erase = (range: Range) => void erased.push(range);
  const names = new Set<string>();
  const caught: Range[] = [];
  new Visitor({
    TSTypeAnnotation: erase,
    TSTypeReference: erase,
    TSTypeQuery: erase,
    TSClassImplements: erase,
    TSInterfaceDeclaration: erase,
    TSTypeAliasDeclaration: erase,
    UnaryExpression({ operator, argument }) {
      if (operator === "typeof" && argument.type === "Identifier") names.add(argument.name);
    },
    AssignmentExpression({ left }) {
      if (left.type === "MemberExpression" && isGlobal(left.object)) names.add(keyOf(left.property));
    },
    TryStatement({ block, handler }) {
      if (handler) caught.push(block);
    },
    CallExpression({ callee }) {
      if (callee.type === "MemberExpression" && keyOf(callee.property) === "catch") caught.push(callee.object);
    },
  }).visit(program);
  // Names that only the run will know.
  const makesAny = /\b(?:Object\.(?:assign|definePropert\w+)|Reflect\.\w+)\(\s*(?:globalThis|global)\b/.test(source);
  const isIn = (ranges: readonly Range[], offset: number) =>
    ranges.some(({ start, end }) => start <= offset && offset < end);
  return {
    isErased: (offset) => isIn(erased, offset),
    isProvidedFor: (name) => makesAny || names.has(name),
    isCaughtImport: (offset) =>
      isIn(caught, offset) && module.dynamicImports.some(({ start, end }) => start <= offset && offset < end),
  };
}

function isGlobal(node: Expression | { readonly type: "Super" }): boolean {
  return node.type === "Identifier" && /^(globalThis|global)$/.test(node.name);
}

/** `a` of `.a` and of `["a"]`. */
function keyOf(property: { readonly type: string }): string {
  if ("name" in property && typeof property.name === "string") return property.name;
  return "value" in property ? String(property.value) : "";
}

/**
 * Whether the property may be there after all: the guest writes it itself, or asks for it; or only a part of a union
 * lacks it.
 */
export function mayHaveMember(source: string, { pos, end, messageChain, text }: Diagnostic): boolean {
  if (text.endsWith("on type '{}'.") || text.endsWith("on type 'never'.") || (messageChain?.length ?? 0) > 0)
    return true;
  const name = source.slice(pos, end).replace(/[^\w$]/g, "");
  if (name === "") return false;
  const quoted = name.replaceAll("$", "\\$");
  const assigning = String.raw`\s*(\?\?|\|\||&&|[-+*/%])?=(?![=>])`;
  const before = source.slice(Math.max(0, pos - 200), pos).trimEnd();
  const [object] = /(?<![\w$])[\w$]+$/.exec(before.replace(/\??\.$/, "").trimEnd()) ?? [];
  return [
    String.raw`\.${quoted}${assigning}`,
    String.raw`\btypeof\s+[\w$.?]+\.${quoted}\b`,
    String.raw`["']${quoted}["']\s+in\b|hasOwn(?:Property)?\([^)]{0,200}["']${quoted}["']`,
    // Under keys that are computed any of them may be written, and by these functions any that the text names.
    ...(object === undefined
      ? []
      : [String.raw`(?<![\w$.])${object.replaceAll("$", "\\$")}\[[^"'\n].{0,200}?\]${assigning}`]),
    ...(/\bObject\.(assign|definePropert|setPrototypeOf)|\bReflect\.set\(/.test(source)
      ? [String.raw`(?<![.\w$]|\.\s)${quoted}\b`]
      : []),
  ].some((pattern) => new RegExp(pattern).test(source));
}
