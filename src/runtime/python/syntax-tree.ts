import { parser } from "@lezer/python";
import { applyEdits } from "../edits.ts";

/** Python as its grammar sees it. Whatever the text, there is a tree: what does not fit is left in it as an error. */
export type SyntaxTree = ReturnType<typeof parser.parse>;
export type SyntaxNode = SyntaxTree["topNode"];

/** Text can be made to take long; imports stand at its beginning, so what was read by then is enough. */
const patienceMs = 300;
/** Code that people and models write nests a few dozen levels; to walk much deeper takes long. */
const deepestTree = 500;

let last: { readonly source: string; readonly tree: SyntaxTree | undefined } | undefined;

export function parsePython(source: string): SyntaxTree {
  return parseWhole(source) ?? parser.parse("");
}

/** Whether the text nests so deeply that nobody should be made to read it: Python takes 200 levels of brackets itself. */
export function isTooDeep(source: string): boolean {
  return parseWhole(source) === undefined;
}

/** Whether all of the text fits the grammar. */
export function isWellFormed(source: string): boolean {
  const tree = parseWhole(source);
  let isWhole = tree !== undefined;
  tree?.iterate({
    enter: ({ type }) => {
      isWhole &&= !type.isError;
      return isWhole;
    },
  });
  return isWhole;
}

function parseWhole(source: string): SyntaxTree | undefined {
  // The same text is read to compile it, and again to check it.
  if (last?.source !== source) last = { source, tree: parseAnew(source) };
  return last.tree;
}

function parseAnew(source: string): SyntaxTree | undefined {
  const parse = parser.startParse(source);
  const until = performance.now() + patienceMs;
  try {
    for (;;) {
      const tree = parse.advance();
      if (tree) return depthOf(tree) > deepestTree ? undefined : tree;
      if (parse.stoppedAt === null && performance.now() > until) parse.stopAt(parse.parsedPos);
    }
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined; // nested deeper than our stack
    throw thrown;
  }
}

function depthOf(tree: SyntaxTree): number {
  let depth = 0;
  let deepest = 0;
  tree.iterate({
    enter: () => {
      deepest = Math.max(deepest, ++depth);
    },
    leave: () => {
      depth--;
    },
  });
  return deepest;
}

const smallerOperator: Readonly<Record<string, string>> = { "**": "* ", "<<": "+ ", "**=": " *=", "<<=": " +=" };

/**
 * The text for the check, place by place the same. Powers and shifts become products and sums: pyright computes those of
 * constants, and a dozen characters would keep it busy for ever.
 */
export function withoutBigNumbers(source: string): string {
  if (!/\*\*|<</.test(source)) return source;
  const operators = nodesOf(parsePython(source), "ArithOp", "BitOp", "UpdateOp");
  const edits = operators.flatMap(({ from, to }) => {
    const text = smallerOperator[source.slice(from, to)];
    return text === undefined ? [] : [{ start: from, end: to, text }];
  });
  return applyEdits(source, edits);
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}

/** Every node of these kinds, in the order of the text. */
export function nodesOf(tree: SyntaxTree, ...kinds: readonly string[]): SyntaxNode[] {
  const found: SyntaxNode[] = [];
  tree.iterate({
    enter: (reference) => {
      if (kinds.includes(reference.name)) found.push(reference.node);
    },
  });
  return found;
}

/** The nodes around a place, innermost first. */
export function nodesAround(tree: SyntaxTree, offset: number): SyntaxNode[] {
  const around: SyntaxNode[] = [];
  for (let node: SyntaxNode | null = tree.resolveInner(offset, 1); node; node = node.parent) around.push(node);
  return around;
}

/** The text of a string literal that is nothing but its text: no prefix, no escape, no replacement. */
export function plainString(source: string, node: SyntaxNode): string | undefined {
  if (node.name !== "String") return undefined;
  return /^(["'])([^"'\\]*)\1$/.exec(source.slice(node.from, node.to))?.[2];
}

/** The arguments of a call: each with its value, and its name or its stars where it has them. */
export interface CallArgument {
  readonly name?: string | undefined;
  readonly stars: "" | "*" | "**";
  readonly from: number;
  readonly value: SyntaxNode;
}

export function argumentsOf(source: string, call: SyntaxNode): CallArgument[] {
  const list = call.getChild("ArgList");
  const found: CallArgument[] = [];
  let part: SyntaxNode[] = [];
  const take = () => {
    const value = part.at(-1);
    const first = part[0];
    if (first && value) {
      const isNamed = part[1]?.name === "AssignOp";
      const stars = first.name === "*" || first.name === "**" ? first.name : "";
      found.push({ name: isNamed ? source.slice(first.from, first.to) : undefined, stars, from: first.from, value });
    }
    part = [];
  };
  for (const node of list ? childrenOf(list) : []) {
    if (node.name === "," || node.name === ")") take();
    else if (node.name !== "(" && node.name !== "Comment") part.push(node);
  }
  return found;
}
