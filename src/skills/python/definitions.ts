import { bindingsOf, targetsOf } from "../../runtime/python/bindings.ts";
import { compilePython } from "../../runtime/python/compile.ts";
import { importedNames } from "../../runtime/python/import-statement.ts";
import { argumentsOf, childrenOf, nodesOf, parsePython, type SyntaxNode } from "../../runtime/python/syntax-tree.ts";
import type { Definition } from "../definition.ts";

/** What the top level of a program defines. */
export function pythonDefinitions(source: string): readonly Definition[] {
  const statements = childrenOf(parsePython(source).topNode).flatMap((node) =>
    node.name === "StatementGroup" ? childrenOf(node) : [node],
  );
  return statements.flatMap((statement) => definitionsOf(source, statement));
}

function definitionsOf(source: string, statement: SyntaxNode): Definition[] {
  const text = source.slice(statement.from, statement.to).trimEnd();
  if (statement.name === "ImportStatement") return importsOf(source, statement);
  const inner = statement.name === "DecoratedStatement" ? statement.lastChild : statement;
  if (inner?.name === "FunctionDefinition" || inner?.name === "ClassDefinition") {
    return targetsOf(inner).map(({ from, to }) => {
      const name = source.slice(from, to);
      return { names: [name], uses: usesOf(text), kind: "function", text };
    });
  }
  const [target, ...others] = statement.name === "AssignStatement" ? targetsOf(statement) : [];
  if (target && others.length === 0 && isPlain(source, statement.lastChild)) {
    return [{ names: [source.slice(target.from, target.to)], uses: usesOf(text), kind: "constant", text }];
  }
  const names = compilePython(text).declared.map(({ name }) => name);
  return names.length === 0 ? [] : [{ names, uses: [], kind: "state", text: "" }];
}

/** A statement for each name, so that nothing is imported that is not needed. */
function importsOf(source: string, statement: SyntaxNode): Definition[] {
  return importedNames(source, statement).flatMap(({ module, member, local }): Definition[] => {
    if (local === undefined) return [];
    const what = member === undefined ? `import ${module}` : `from ${module} import ${member}`;
    const isPlainName = local === (member ?? module.split(".")[0]);
    return [{ names: [local], uses: [], kind: "import", text: isPlainName ? what : `${what} as ${local}` }];
  });
}

const plainNodes = new Set(["Number", "String", "Boolean", "None", "VariableName", "ContinuedString"]);
const plainHolders = new Set([
  ...["ArrayExpression", "TupleExpression", "DictionaryExpression", "SetExpression"],
  ...["UnaryExpression", "BinaryExpression", "ParenthesizedExpression"],
]);
/** What only makes another form of values that are written out. */
const makers = /^(re\.compile|set|frozenset|list|tuple|dict|Path|Decimal|(datetime\.)?(timedelta|date))$/;
const dotted = /^\w+(\.\w+)+$/;
const marks = /^([[\](){}:,]|ArithOp|BitOp|not|\*{1,2})$/;

/** Whether a value is written out: it is the same wherever it stands. */
function isPlain(source: string, node: SyntaxNode | null): boolean {
  if (!node) return false;
  if (plainNodes.has(node.name) || dotted.test(source.slice(node.from, node.to))) return true;
  const [callee, list] = node.name === "CallExpression" ? childrenOf(node) : [];
  if (callee && list) {
    const isMaker = makers.test(source.slice(callee.from, callee.to));
    return isMaker && argumentsOf(source, list.parent ?? node).every(({ value }) => isPlain(source, value));
  }
  if (!plainHolders.has(node.name)) return false;
  return childrenOf(node).every(
    (child) => marks.test(child.name) || child.name === "Comment" || isPlain(source, child),
  );
}

/** The names in it that it does not bind, in whatever scope of its own. */
function usesOf(text: string): string[] {
  const tree = parsePython(text);
  const bound = bindingsOf(text, tree);
  const textOf = ({ from, to }: SyntaxNode): string => text.slice(from, to);
  const used = nodesOf(tree, "VariableName")
    .filter((node) => !isKeyword(node))
    .map(textOf);
  const global = nodesOf(tree, "ScopeStatement").flatMap((statement) => {
    const [scope, ...names] = childrenOf(statement);
    return scope?.name === "global" ? names.map(textOf) : [];
  });
  return [...new Set([...used.filter((name) => !bound.has(name)), ...global])];
}

/** The name of an argument. */
function isKeyword({ parent, nextSibling }: SyntaxNode): boolean {
  return parent?.name === "ArgList" && nextSibling?.name === "AssignOp";
}
