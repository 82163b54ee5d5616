import type {
  ArrowFunctionExpression,
  ParamPattern,
  ParseResult,
  Span,
  TSSignature,
  TSType,
  TSTypeAnnotation,
} from "oxc-parser";
import { positionOf } from "../../runtime/source.ts";
import {
  declarationOf,
  dynamicSpecifier,
  nameOf,
  type ParsedProgram,
  parseScript,
  type Statement,
} from "../../runtime/typescript/syntax.ts";
import { type Candidate, type LibraryUse, readEntry, type SkillSource } from "../skill-source.ts";
import type { SkillParameter } from "../skill-store.ts";

/** Reads the code of a skill. It must be known to parse: what is wrong with its text, the check says. */
export function readTypeScriptSkill(name: string, source: string): SkillSource {
  const parsed = parseScript(source);
  const found = readEntry(name, candidatesIn(source, parsed), {
    function: (wanted) => `export function ${wanted}(…)`,
    doc: "doc comment (/** … */)",
    docExample: "/** Totals by country. */ above it",
    describe: describedParameters,
  });
  const { libraries, imports, anywhere } = usesOf(source, parsed);
  return { ...found, libraries, imports, problems: [...found.problems, ...anywhere] };
}

type FunctionNode = Pick<ArrowFunctionExpression, "async" | "params">;
type Shapes = ReadonlyMap<string, readonly TSSignature[]>;

/** Functions that are exported by name, whatever way that is written. */
function candidatesIn(source: string, { program, comments }: ParseResult): Candidate[] {
  const local = new Map<string, { node: FunctionNode; statement: Statement }>();
  const exported = new Map<string, string>();
  for (const statement of program.body) {
    for (const [name, node] of functionsOf(declarationOf(statement))) {
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

function functionsOf(node: ReturnType<typeof declarationOf>): [name: string, node: FunctionNode][] {
  if (node?.type === "FunctionDeclaration" && node.id) return [[node.id.name, node]];
  if (node?.type !== "VariableDeclaration") return [];
  return node.declarations.flatMap(({ id, init }): [string, FunctionNode][] => {
    const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
    return isFunction && id.type === "Identifier" ? [[id.name, init]] : [];
  });
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
function typeShapes(program: ParsedProgram): Shapes {
  const shapes = new Map<string, readonly TSSignature[]>();
  for (const node of program.body.map(declarationOf)) {
    if (node?.type === "TSInterfaceDeclaration" && node.extends.length === 0) shapes.set(node.id.name, node.body.body);
    if (node?.type === "TSTypeAliasDeclaration" && node.typeAnnotation.type === "TSTypeLiteral") {
      shapes.set(node.id.name, node.typeAnnotation.members);
    }
  }
  return shapes;
}

function entryOf(source: string, { async: isAsync, params }: FunctionNode, shapes: Shapes): Candidate["entry"] {
  const [only, ...others] = params;
  const members = only && others.length === 0 ? objectParameters(source, only, shapes) : undefined;
  if (members) return { isAsync, calling: "object", parameters: members };
  const last = params.at(-1);
  const parameters = params
    .filter(({ type }) => type !== "RestElement")
    .map((parameter, index) => {
      const { target, isOptional } = withoutDefault(parameter);
      const name = target.type === "Identifier" ? target.name : `argument${index + 1}`;
      return parameterOf(source, name, target, isOptional);
    });
  const rest = last?.type === "RestElement" && { rest: textOf(source, last.argument) };
  return { isAsync, calling: "positional", parameters, ...rest };
}

/** What a function takes, and whether it can do without. */
function withoutDefault(parameter: ParamPattern) {
  const whole = parameter.type === "TSParameterProperty" ? parameter.parameter : parameter;
  const target = whole.type === "AssignmentPattern" ? whole.left : whole;
  return { target, isOptional: target !== whole || Boolean(target.optional), hasDefault: target !== whole };
}

interface Annotated {
  readonly typeAnnotation?: TSTypeAnnotation | null;
}

function parameterOf(source: string, name: string, { typeAnnotation }: Annotated, optional: boolean): SkillParameter {
  const type = typeAnnotation && textOf(source, typeAnnotation.typeAnnotation).replace(/\s+/g, " ");
  return { name, ...(type && { type }), optional };
}

/** What stands in the one object that a function takes; undefined when it takes none. */
function objectParameters(source: string, parameter: ParamPattern, shapes: Shapes): SkillParameter[] | undefined {
  const { target, hasDefault } = withoutDefault(parameter);
  const properties = target.type === "ObjectPattern" ? target.properties : [];
  const named = properties.filter((property) => property.type === "Property");
  const defaults = new Set(
    named.flatMap(({ key, value }) => (value.type === "AssignmentPattern" ? [nameOf(key)] : [])),
  );
  const isOptional = (name: string): boolean => hasDefault || defaults.has(name);
  const members = membersOf(target.typeAnnotation?.typeAnnotation, shapes);
  if (members?.every((member) => member.type === "TSPropertySignature")) {
    return members.map((member) => {
      const name = nameOf(member.key);
      return parameterOf(source, name, member, member.optional || isOptional(name));
    });
  }
  if (target.type !== "ObjectPattern" || named.length < properties.length) return undefined;
  return named.map(({ key }) => ({ name: nameOf(key), optional: isOptional(nameOf(key)) }));
}

function membersOf(type: TSType | undefined, shapes: Shapes): readonly TSSignature[] | undefined {
  if (type?.type === "TSTypeLiteral") return type.members;
  return type?.type === "TSTypeReference" && type.typeName.type === "Identifier"
    ? shapes.get(type.typeName.name)
    : undefined;
}

function textOf(source: string, { start, end }: Span): string {
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
        "A skill says which servers it uses: import from mcp_tools/<server> instead of calling any server by name";
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
  for (const one of module.dynamicImports) {
    const specifier = dynamicSpecifier(source, one);
    if (specifier !== undefined) see(specifier, ["*"], one.start);
  }
  return { libraries, imports: [...imports], anywhere };
}
