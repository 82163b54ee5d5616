import { compilePython } from "../../runtime/python/compile.ts";
import { importedLibrary, importedNames } from "../../runtime/python/import-statement.ts";
import {
  childrenOf,
  nodesOf,
  parsePython,
  type SyntaxNode,
  type SyntaxTree,
} from "../../runtime/python/syntax-tree.ts";
import { positionOf } from "../../runtime/source.ts";
import { type Candidate, type LibraryUse, readEntry, type SkillSource } from "../skill-source.ts";
import type { SkillParameter } from "../skill-store.ts";

/** Reads the code of a skill. What is wrong with its text, the check says. */
export function readPythonSkill(name: string, source: string): SkillSource {
  const tree = parsePython(source);
  const found = readEntry(name, candidatesIn(source, tree), {
    function: (wanted) => `def ${wanted}(…):`,
    doc: "docstring",
    docExample: '"""Totals by country.""" as its first line',
    describe: describedParameters,
  });
  const { libraries, imports, anywhere } = usesOf(source, tree);
  return { ...found, libraries, imports, problems: [...found.problems, ...anywhere] };
}

/** The functions of the top level whose name does not begin with an underscore; of two with one name, the last. */
function candidatesIn(source: string, tree: SyntaxTree): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const statement of childrenOf(tree.topNode)) {
    const node = statement.name === "DecoratedStatement" ? statement.getChild("FunctionDefinition") : statement;
    if (node?.name !== "FunctionDefinition") continue;
    const name = textOf(source, node.getChild("VariableName"));
    if (name === "" || name.startsWith("_")) continue;
    const doc = docOf(source, node.getChild("Body"));
    found.set(name, { name, ...positionOf(source, statement.from), doc, entry: entryOf(source, node) });
  }
  return [...found.values()];
}

function textOf(source: string, node: { readonly from: number; readonly to: number } | null | undefined): string {
  return node ? source.slice(node.from, node.to) : "";
}

/** The docstring without its quotes and its indentation. */
function docOf(source: string, body: SyntaxNode | null): string | undefined {
  const [first] = body ? childrenOf(body).filter(({ name }) => name !== ":" && name !== "Comment") : [];
  const literal = textOf(source, first?.name === "ExpressionStatement" ? first.getChild("String") : undefined);
  const [, text] = /^[rRuU]?(?:"""([\s\S]*)"""|'''([\s\S]*)'''|"(.*)"|'(.*)')$/.exec(literal)?.filter(isText) ?? [];
  return text
    ?.split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

function isText(part: string | undefined): part is string {
  return part !== undefined;
}

/** `name: text` and `name (type): text` below `Args:`, and `:param name: text`. */
function describedParameters(doc: string): ReadonlyMap<string, string> {
  const described = new Map<string, string>();
  for (const [, name = "", text = ""] of doc.matchAll(
    /^[ \t]*:param (?:[\w[\], .|]+ )?\*{0,2}(\w+):[ \t]*([^\n]*)/gm,
  )) {
    described.set(name, text.trim());
  }
  const [, section = ""] = /^[ \t]*(?:Args|Arguments|Parameters):[ \t]*\n([\s\S]*)/m.exec(doc) ?? [];
  for (const line of section.split("\n")) {
    if (/^[ \t]*(?:Returns|Raises|Yields|Example|Examples|Note):/.test(line)) break;
    const [, name, text = ""] = /^[ \t]+\*{0,2}(\w+)(?: \([^)]*\))?:[ \t]*(.*)/.exec(line) ?? [];
    if (name !== undefined) described.set(name, text.trim());
  }
  return described;
}

function entryOf(source: string, definition: SyntaxNode): Candidate["entry"] {
  const isAsync = childrenOf(definition).some(({ name }) => name === "async");
  const parameters: SkillParameter[] = [];
  let positionalOnly = 0;
  let rest: string | undefined;
  for (const { nodes, text } of partsOf(source, definition.getChild("ParamList"))) {
    const stars = nodes.find(({ name }) => name === "*" || name === "**")?.name;
    const name = textOf(
      source,
      nodes.find((node) => node.name === "VariableName"),
    );
    if (text === "/") positionalOnly = parameters.length;
    if (stars === "**") rest = name;
    if (stars !== undefined || name === "") continue;
    const annotation = nodes.find((node) => node.name === "TypeDef");
    const type = textOf(source, annotation).replace(/^:\s*/, "").replace(/\s+/g, " ");
    parameters.push({ name, ...(type && { type }), optional: nodes.some((node) => node.name === "AssignOp") });
  }
  return {
    isAsync,
    calling: "keywords",
    parameters,
    ...(positionalOnly > 0 && { positionalOnly }),
    ...(rest !== undefined && { rest }),
  };
}

/** Each parameter, with its text: the slash that ends those by position has no node of its own. */
function partsOf(source: string, list: SyntaxNode | null): { nodes: SyntaxNode[]; text: string }[] {
  const parts: { nodes: SyntaxNode[]; text: string }[] = [];
  let nodes: SyntaxNode[] = [];
  let start = list?.from ?? 0;
  for (const node of list ? childrenOf(list) : []) {
    if (node.name === "(") start = node.to;
    else if (node.name === "," || node.name === ")") {
      parts.push({ nodes, text: source.slice(start, node.from).trim() });
      nodes = [];
      start = node.to;
    } else if (node.name !== "Comment") nodes.push(node);
  }
  return parts;
}

/** The tools and skills that it imports. What could be any tool of any server cannot be declared. */
function usesOf(source: string, tree: SyntaxTree) {
  const libraries: LibraryUse[] = [];
  const imports = new Set<string>();
  const anywhere: SkillSource["problems"][number][] = [];
  const stated = new Set<string>();
  for (const statement of nodesOf(tree, "ImportStatement")) {
    for (const { module, member, from } of importedNames(source, statement)) {
      const place = positionOf(source, from);
      stated.add(placeKey(place));
      const path = member === undefined || member === "*" ? module : `${module}.${member}`;
      const [, skill, version] = /^skills\.([a-z]\w*)(?:\.v(\d+)(?=\.|$))?/.exec(path) ?? [];
      if (skill !== undefined) imports.add(version === undefined ? skill : `${skill}@${version}`);
      const library = importedLibrary(module);
      const whole = library ?? importedLibrary(module, member);
      if (library !== undefined && member !== undefined && member !== "*" && member !== "call") {
        if (member !== "list_tools" && member !== "ToolError") libraries.push({ module: library, identifier: member });
      } else if (whole !== undefined) {
        libraries.push({ module: whole, identifier: "*" });
      } else if (module === "mcp_tools" && (member === "*" || member === "call")) {
        anywhere.push({ ...place, message: namesServers });
      }
    }
  }
  // By attribute (`mcp_tools.data.orders`) and by importlib.
  for (const { library, ...place } of compilePython(source).imports) {
    if (library !== undefined && !stated.has(placeKey(place))) libraries.push({ module: library, identifier: "*" });
  }
  return { libraries: distinct(libraries), imports: [...imports], anywhere };
}

const namesServers =
  "A skill says which servers it uses: import from mcp_tools.<server> instead of calling any server by name";

function placeKey({ line, column }: { readonly line: number; readonly column: number }): string {
  return `${line}:${column}`;
}

function distinct(uses: readonly LibraryUse[]): LibraryUse[] {
  return [...new Map(uses.map((use) => [`${use.module} ${use.identifier}`, use])).values()];
}
