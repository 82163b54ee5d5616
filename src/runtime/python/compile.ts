import type { Problem } from "../checks/problem.ts";
import type { Compiled, Declared, Import } from "../compiled.ts";
import { positionOf } from "../source.ts";
import { bindingKinds, targetsOf, variablesIn } from "./bindings.ts";
import { importedLibrary, importedNames } from "./import-statement.ts";
import {
  argumentsOf,
  childrenOf,
  isTooDeep,
  nodesOf,
  parsePython,
  plainString,
  type SyntaxNode,
  type SyntaxTree,
} from "./syntax-tree.ts";

/** Reads what a guest imports and defines. The code runs as it is; what is wrong with it, the check and the guest find. */
export function compilePython(source: string): Compiled {
  const tree = parsePython(source);
  return { code: source, imports: importsOf(source, tree), declared: declaredIn(source, tree) };
}

/** Why the text should not be read any further, or undefined when it can be. */
export function pythonNestingProblem(source: string): Problem | undefined {
  return isTooDeep(source) ? { line: 1, column: 1, message: "The code is nested too deeply" } : undefined;
}

function importsOf(source: string, tree: SyntaxTree): Import[] {
  const found = nodesOf(tree, "ImportStatement", "CallExpression").flatMap((node) => {
    if (node.name === "CallExpression") return loadedByCall(source, node);
    return importedNames(source, node).map(({ module, member, from }) => ({ module, member, from }));
  });
  return [...found, ...librariesByAttribute(source, tree)].map(({ module, member, from }) => {
    const library = importedLibrary(module, member);
    return {
      specifier: module,
      ...(member !== undefined && { member }),
      ...(library !== undefined && { library }),
      ...positionOf(source, from),
    };
  });
}

/** A guest may also say `mcp_tools.github` after `import mcp_tools`: the first place of each. */
function librariesByAttribute(source: string, tree: SyntaxTree) {
  const roots = new Map<string, string>();
  for (const statement of nodesOf(tree, "ImportStatement")) {
    for (const { module, member, local } of importedNames(source, statement)) {
      const path = member === undefined ? module : `${module}.${member}`;
      if (/^mcp_tools(\.aio)?$/.test(path) && local !== undefined)
        roots.set(local, local === "mcp_tools" ? local : path);
    }
  }
  if (roots.size === 0) return [];
  const found = new Map<string, { module: string; member: undefined; from: number }>();
  for (const { from, to } of nodesOf(tree, "MemberExpression")) {
    const [root = "", ...rest] = source.slice(from, to).split(".");
    const module = [roots.get(root), ...rest].join(".");
    if (!roots.has(root) || !/^[\w.]+$/.test(module) || importedLibrary(module) === undefined) continue;
    const key = module
      .split(".")
      .slice(0, module.startsWith("mcp_tools.aio.") ? 3 : 2)
      .join(".");
    if (!found.has(key)) found.set(key, { module: key, member: undefined, from });
  }
  return [...found.values()];
}

const loaders = new Set(["__import__", "import_module", "importlib.import_module"]);

function loadedByCall(source: string, call: SyntaxNode) {
  const callee = call.firstChild;
  if (!callee || !loaders.has(source.slice(callee.from, callee.to))) return [];
  const [first] = argumentsOf(source, call);
  const module = first && plainString(source, first.value);
  return module === undefined || module === "" ? [] : [{ module, member: undefined, from: first?.from ?? call.from }];
}

/** Names that are bound at the top level, the last binding of each. */
function declaredIn(source: string, tree: SyntaxTree): Declared[] {
  const declared = new Map<string, Declared>();
  tree.iterate({
    enter: (reference) => {
      const { name } = reference;
      if (name === "LambdaExpression") return false;
      if (!bindingKinds.has(name) && name !== "DeleteStatement") return true;
      const { node } = reference;
      if (name === "DeleteStatement") {
        // In a branch it may not happen.
        const isCertain = node.parent?.name === "Script";
        for (const child of childrenOf(node)) if (isCertain) declared.delete(source.slice(child.from, child.to));
      }
      if (name === "ImportStatement") for (const kept of importedHere(source, node)) declared.set(kept.name, kept);
      for (const { from, to } of targetsOf(node))
        declared.set(source.slice(from, to), { name: source.slice(from, to) });
      return name !== "FunctionDefinition" && name !== "ClassDefinition";
    },
  });
  for (const statement of nodesOf(tree, "ScopeStatement")) {
    const [scope, ...names] = childrenOf(statement);
    if (scope?.name !== "global") continue;
    for (const { from, to } of variablesIn(names)) {
      const name = source.slice(from, to);
      if (!declared.has(name)) declared.set(name, { name });
    }
  }
  return [...declared.values()];
}

function importedHere(source: string, statement: SyntaxNode): Declared[] {
  return importedNames(source, statement).map(({ module, member, local }) => {
    const isLibrary = member !== undefined && importedLibrary(module) === undefined && importedLibrary(module, member);
    const from = isLibrary
      ? { specifier: `${module}.${member}`, member: "*" }
      : { specifier: module, member: member ?? "*" };
    // What a star brings is not known by name: the module stands for it, under a name that is not an identifier.
    return { name: local ?? `${module}.*`, from };
  });
}
