import { type ImportedName, importedNames } from "./import-statement.ts";
import { childrenOf, type SyntaxNode, type SyntaxTree } from "./syntax-tree.ts";

/** One place that gives a name its value, in whatever scope. */
export interface Binding {
  readonly node: SyntaxNode;
  /** Set when it is an import. */
  readonly imported?: ImportedName | undefined;
  /** Whether it is a parameter that has a default and no type. */
  readonly isGuessed?: boolean | undefined;
}

/** Every name of the code with all that binds it. */
export function bindingsOf(source: string, tree: SyntaxTree): ReadonlyMap<string, readonly Binding[]> {
  const bindings = new Map<string, Binding[]>();
  const bind = (name: string, binding: Binding) => {
    const known = bindings.get(name);
    if (known) known.push(binding);
    else bindings.set(name, [binding]);
  };
  tree.iterate({
    enter: (reference) => {
      const { name } = reference;
      if (!bindingKinds.has(name) && !innerKinds.test(name)) return;
      const { node } = reference;
      if (name === "ImportStatement") {
        for (const imported of importedNames(source, node)) {
          if (imported.local !== undefined) bind(imported.local, { node, imported });
        }
      }
      for (const target of [...targetsOf(node), ...innerTargetsOf(node)]) {
        const isGuessed = name === "ParamList" && target.nextSibling?.name === "AssignOp";
        bind(source.slice(target.from, target.to), { node, isGuessed });
      }
    },
  });
  return bindings;
}

/** What binds one name. */
const boundOnce = new Set([
  "FunctionDefinition",
  "ClassDefinition",
  "UpdateStatement",
  "NamedExpression",
  "TypeDefinition",
]);

/** What binds names at all: to look into every other node of a long text takes long. */
export const bindingKinds: ReadonlySet<string> = new Set([
  ...boundOnce,
  ...["AssignStatement", "ForStatement", "WithStatement", "CapturePattern", "AsPattern", "ImportStatement"],
]);
const innerKinds = /^(ParamList|ScopeStatement|TryStatement)$|Comprehension/;

/** The names that a statement or an expression binds by itself. */
export function targetsOf(node: SyntaxNode): SyntaxNode[] {
  const variables = variablesIn(targetPartsOf(node));
  return boundOnce.has(node.name) ? variables.slice(0, 1) : variables;
}

/** The parts of a node that get a value: names are among them, and what holds names, items and attributes. */
export function targetPartsOf(node: SyntaxNode): SyntaxNode[] {
  const children = childrenOf(node);
  switch (node.name) {
    case "AssignStatement": {
      const last = children.findLastIndex(({ name }) => name === "AssignOp");
      // `with f() as (a, b):` looks like this to the grammar.
      return last === -1 && children[0]?.name === "TupleExpression" ? children : children.slice(0, last + 1);
    }
    case "ForStatement":
      return children.slice(
        0,
        children.findIndex(({ name }) => name === "in"),
      );
    case "WithStatement":
      return children.filter((_child, at) => children[at - 1]?.name === "as");
    default:
      return bindingKinds.has(node.name) && node.name !== "ImportStatement" ? children : [];
  }
}

const holders = new Set(["TupleExpression", "ArrayExpression", "ParenthesizedExpression"]);
const deepestTarget = 50;

export function variablesIn(nodes: readonly SyntaxNode[], depth = 0): SyntaxNode[] {
  return nodes.flatMap((node) => {
    if (node.name === "VariableName") return [node];
    return holders.has(node.name) && depth < deepestTarget ? variablesIn(childrenOf(node), depth + 1) : [];
  });
}

/** What is bound in a scope of its own, or for a while: parameters, the variables of comprehensions and handlers. */
function innerTargetsOf(node: SyntaxNode): SyntaxNode[] {
  const children = childrenOf(node);
  const after = (kind: string) => children.filter((_child, at) => children[at - 1]?.name === kind);
  if (node.name === "ParamList") {
    return children.filter((child, at) => child.name === "VariableName" && children[at - 1]?.name !== "AssignOp");
  }
  if (node.name === "ScopeStatement") return variablesIn(children);
  if (node.name === "TryStatement") return variablesIn(after("as"));
  if (!node.name.includes("Comprehension")) return [];
  return children.flatMap((child, at) => {
    if (child.name !== "for") return [];
    const end = children.findIndex(({ name }, index) => index > at && name === "in");
    return variablesIn(children.slice(at + 1, end));
  });
}
