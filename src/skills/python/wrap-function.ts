import {
  childrenOf,
  nodesOf,
  parsePython,
  type SyntaxNode,
  type SyntaxTree,
} from "../../runtime/python/syntax-tree.ts";

/** A guest's code as the body of a function; an async one where it awaits something itself. */
export function wrapPython(source: string, name: string, doc: string): string {
  const tree = parsePython(source);
  const statements = childrenOf(tree.topNode).filter((node) => node.name !== "Comment");
  const imports = statements.filter((node) => node.name === "ImportStatement");
  const last = statements.at(-1);
  const result = last?.name === "ExpressionStatement" ? last.from : undefined;
  const literal = literalsOf(tree);
  let body = "";
  let offset = 0;
  for (const line of source.split("\n")) {
    const [start, end] = [offset, offset + line.length];
    offset = end + 1;
    const isInText = literal.some(({ from, to }) => from < start && start < to);
    body += `${isInText || line.trim() === "" ? "" : "    "}${edited(source, start, end, imports, result)}\n`;
  }
  const head = imports.map(({ from, to }) => source.slice(from, to)).join("\n");
  const keyword = awaits(tree) ? "async def" : "def";
  const lines = body.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  return `${head}${head ? "\n\n\n" : ""}${keyword} ${name}():\n    """${doc}"""\n${lines}\n`;
}

/** A line without the imports of the top level, and with `return` before the result. */
function edited(source: string, start: number, end: number, imports: readonly SyntaxNode[], result?: number): string {
  const found = imports.find(({ from, to }) => from < end && to > start);
  if (found) return source.slice(Math.min(found.to, end), end).trim(); // a comment behind it, if anything
  if (result === undefined || result < start || result >= end) return source.slice(start, end);
  return `${source.slice(start, result)}return ${source.slice(result, end)}`;
}

/** Texts that go over several lines, which must not be indented. */
function literalsOf(tree: SyntaxTree): SyntaxNode[] {
  return nodesOf(tree, "String", "FormatString");
}

const ownScope = new Set(["FunctionDefinition", "LambdaExpression"]);

function awaits(tree: SyntaxTree): boolean {
  return nodesOf(tree, "AwaitExpression", "async").some((node) => {
    for (let around: SyntaxNode | null = node.parent; around; around = around.parent) {
      if (ownScope.has(around.name)) return false;
    }
    return true;
  });
}
