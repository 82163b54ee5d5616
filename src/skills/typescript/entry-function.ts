import { type ParseResult, parseSync } from "oxc-parser";
import { positionOf } from "../../runtime/source.ts";
import { type Candidate, type LibraryUse, readEntry, type SkillSource } from "../skill-source.ts";
import type { SkillParameter } from "../skill-store.ts";

/** Reads the code of a skill. It must be known to parse: what is wrong with its text, the check says. */
export function readTypeScriptSkill(name: string, source: string): SkillSource {
  const parsed = parseSync("skill.ts", source, { lang: "ts", sourceType: "module" });
  const found = readEntry(name, candidatesIn(source, parsed), {
    function: (wanted) => `export function ${wanted}(…)`,
    doc: "doc comment (/** … */)",
    describe: describedParameters,
  });
  const { libraries, imports, anywhere } = usesOf(source, parsed);
  return { ...found, libraries, imports, problems: [...found.problems, ...anywhere] };
}

type Program = ParseResult["program"];
type Statement = Program["body"][number];

interface FunctionNode {
  readonly async: boolean;
  readonly params: readonly Parameter[];
}

interface Parameter extends Typed {
  readonly type: string;
  readonly name?: string;
  readonly optional?: boolean | null;
  /** Of a default. */
  readonly left?: Parameter;
  /** Of a rest. */
  readonly argument?: { readonly start: number; readonly end: number };
  readonly properties?: readonly Property[];
}

/** Functions that are exported by name, whatever way that is written. */
function candidatesIn(source: string, { program, comments }: ParseResult): Candidate[] {
  const local = new Map<string, { node: FunctionNode; statement: Statement }>();
  const exported = new Map<string, string>();
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    for (const [name, node] of functionsOf(declaration)) {
      local.set(name, { node, statement });
      if (statement.type === "ExportNamedDeclaration") exported.set(name, name);
    }
    if (statement.type !== "ExportNamedDeclaration" || statement.source) continue;
    for (const { local: from, exported: to } of statement.specifiers) exported.set(nameOf(to), nameOf(from));
  }
  const shapes = typeShapes(program);
  return [...exported].flatMap(([name, localName]) => {
    const found = local.get(localName);
    if (!found) return [];
    const { node, statement } = found;
    const doc = docBefore(source, comments, statement.start);
    return [{ name, ...positionOf(source, statement.start), doc, entry: entryOf(source, node, shapes) }];
  });
}

function functionsOf(declaration: object | null): [name: string, node: FunctionNode][] {
  const node = declaration as Statement | null;
  if (node?.type === "FunctionDeclaration" && node.id) return [[node.id.name, node as FunctionNode]];
  if (node?.type !== "VariableDeclaration") return [];
  return node.declarations.flatMap(({ id, init }): [string, FunctionNode][] => {
    const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
    return isFunction && id.type === "Identifier" ? [[id.name, init as FunctionNode]] : [];
  });
}

function nameOf(name: { readonly type: string }): string {
  const { name: identifier, value } = name as { name?: string; value?: string };
  return identifier ?? value ?? "";
}

/** The doc comment that stands directly before. */
function docBefore(source: string, comments: ParseResult["comments"], start: number): string | undefined {
  const comment = comments.findLast(({ end }) => end <= start);
  if (comment?.type !== "Block" || !comment.value.startsWith("*")) return undefined;
  if (source.slice(comment.end, start).trim() !== "") return undefined;
  return comment.value
    .slice(1)
    .split("\n")
    .map((line) => line.replace(/^\s*\* ?/, "").trimEnd())
    .join("\n")
    .trim();
}

function describedParameters(doc: string): ReadonlyMap<string, string> {
  const found = doc.matchAll(/@param\s+(?:\{[^{}\n]*\}\s+)?\[?(?:\w+\.)?(\w+)[^\s\]]*\]?[ \t]*(?:-[ \t]*)?([^\n]*)/g);
  return new Map([...found].map(([, name = "", text = ""]) => [name, text.trim()]));
}

/** The members of the object types that the code declares, by name. */
function typeShapes(program: Program): ReadonlyMap<string, readonly object[]> {
  const shapes = new Map<string, readonly object[]>();
  for (const statement of program.body) {
    const node = (statement.type === "ExportNamedDeclaration" ? statement.declaration : statement) as Statement | null;
    if (node?.type === "TSInterfaceDeclaration" && node.extends.length === 0) shapes.set(node.id.name, node.body.body);
    if (node?.type === "TSTypeAliasDeclaration" && node.typeAnnotation.type === "TSTypeLiteral") {
      shapes.set(node.id.name, node.typeAnnotation.members);
    }
  }
  return shapes;
}

function entryOf(
  source: string,
  node: FunctionNode,
  shapes: ReadonlyMap<string, readonly object[]>,
): Candidate["entry"] {
  const isAsync = node.async;
  const [only, ...others] = node.params;
  const members = only && others.length === 0 ? objectParameters(source, only, shapes) : undefined;
  if (members) return { isAsync, calling: "object", parameters: members };
  const last = node.params.at(-1);
  const rest = last?.argument && textOf(source, last.argument);
  const parameters = node.params
    .filter(({ type }) => type !== "RestElement")
    .map((parameter, index) => positional(source, parameter, index));
  return { isAsync, calling: "positional", parameters, ...(rest !== undefined && { rest }) };
}

function positional(source: string, parameter: Parameter, index: number): SkillParameter {
  const { left } = parameter;
  const target = left ?? parameter;
  const type = typeText(source, target);
  return {
    name: target.name ?? `argument${index + 1}`,
    ...(type !== undefined && { type }),
    optional: left !== undefined || target.optional === true,
  };
}

/** What stands in the one object that a function takes; undefined when it takes none. */
function objectParameters(
  source: string,
  parameter: Parameter,
  shapes: ReadonlyMap<string, readonly object[]>,
): SkillParameter[] | undefined {
  const { left } = parameter;
  const { type, typeAnnotation, properties = [] } = left ?? parameter;
  const annotation = typeAnnotation?.typeAnnotation;
  const defaults = defaultsOf(properties);
  const isOptional = (name: string): boolean => left !== undefined || defaults.has(name);
  const members = (annotation?.members ?? shapes.get(annotation?.typeName?.name ?? "")) as
    | readonly Member[]
    | undefined;
  if (members?.every((member) => member.type === "TSPropertySignature" && member.key !== undefined)) {
    return members.map((member) => {
      const name = member.key ? nameOf(member.key) : "";
      const text = typeText(source, member);
      return {
        name,
        ...(text !== undefined && { type: text }),
        optional: member.optional === true || isOptional(name),
      };
    });
  }
  if (type !== "ObjectPattern" || properties.some((property) => property.type !== "Property")) return undefined;
  return properties.map(({ key }) => ({ name: nameOf(key), optional: isOptional(nameOf(key)) }));
}

function defaultsOf(properties: readonly Property[]): ReadonlySet<string> {
  return new Set(properties.flatMap(({ key, value }) => (value?.type === "AssignmentPattern" ? [nameOf(key)] : [])));
}

interface Typed {
  readonly typeAnnotation?: {
    readonly typeAnnotation: {
      readonly start: number;
      readonly end: number;
      readonly members?: readonly object[];
      readonly typeName?: { readonly name?: string };
    };
  } | null;
}

interface Property {
  readonly type: string;
  readonly key: { readonly type: string };
  readonly value?: { readonly type: string };
}

interface Member extends Typed {
  readonly type: string;
  readonly key?: { readonly type: string };
  readonly optional?: boolean;
}

function typeText(source: string, { typeAnnotation }: Typed): string | undefined {
  return typeAnnotation ? textOf(source, typeAnnotation.typeAnnotation).replace(/\s+/g, " ") : undefined;
}

function textOf(source: string, { start, end }: { readonly start: number; readonly end: number }): string {
  return source.slice(start, end);
}

/** The tools and skills that it imports. What could be any tool of any server cannot be declared. */
function usesOf(source: string, { module }: ParseResult) {
  const libraries: LibraryUse[] = [];
  const imports = new Set<string>();
  const anywhere: SkillSource["problems"][number][] = [];
  const see = (specifier: string, names: readonly string[], start: number): void => {
    const [, library] = /^mcp_tools\/(.+)$/.exec(specifier) ?? [];
    const [, skill] = /^skills\/(.+)$/.exec(specifier) ?? [];
    if (skill !== undefined) imports.add(skill);
    if (library !== undefined) {
      const isOpen = names.some((name) => name === "*" || name === "call");
      for (const identifier of isOpen ? ["*"] : names.filter((name) => name !== "list_tools")) {
        libraries.push({ module: library, identifier });
      }
    }
    if (specifier === "mcp_tools" && names.some((name) => name === "*" || name === "call")) {
      const message =
        "A skill says which servers it uses: import from mcp_tools/<server> instead of calling any by name";
      anywhere.push({ ...positionOf(source, start), message });
    }
  };
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const values = entries.filter(({ isType }) => !isType);
    const names = values.map(({ importName }) =>
      importName.kind === "NamespaceObject" ? "*" : (importName.name ?? "default"),
    );
    if (values.length > 0 || entries.length === 0) see(moduleRequest.value, names, start);
  }
  for (const { moduleRequest, start } of module.staticExports.flatMap(({ entries }) => entries)) {
    if (moduleRequest) see(moduleRequest.value, ["*"], start); // it passes on what it does not name here
  }
  for (const { moduleRequest, start } of module.dynamicImports) {
    const [, specifier] = /^["'`]([^"'`$\\]*)["'`]$/.exec(textOf(source, moduleRequest)) ?? [];
    if (specifier !== undefined) see(specifier, ["*"], start);
  }
  return { libraries, imports: [...imports], anywhere };
}
