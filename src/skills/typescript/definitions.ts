import type { BindingPattern, ParseResult, VariableDeclaration } from "oxc-parser";
import { declarationOf, nameOf, parseScript, type Statement } from "../../runtime/typescript/syntax.ts";
import type { Definition } from "../definition.ts";

/** What the top level of a program defines. */
export function typescriptDefinitions(source: string): readonly Definition[] {
  const parsed = parseScript(source);
  return parsed.program.body.flatMap((statement) => definitionsOf(source, statement, parsed.comments));
}

function definitionsOf(source: string, statement: Statement, comments: ParseResult["comments"]): Definition[] {
  if (statement.type === "ImportDeclaration") return importsOf(statement);
  const node = declarationOf(statement);
  if (!node) return [];
  const doc = docBefore(source, comments, statement.start);
  const text = source.slice(node.start, node.end);
  switch (node.type) {
    case "FunctionDeclaration":
    case "ClassDeclaration":
      return node.id ? [defined(node.id.name, node, { kind: "function", doc, text })] : [];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSEnumDeclaration":
      return [defined(node.id.name, node, { kind: "type", doc, text })];
    case "VariableDeclaration":
      return variablesOf(source, node, doc);
    default:
      return [];
  }
}

type ImportStatement = Statement & { type: "ImportDeclaration" };

/** A statement for each name, so that nothing is imported that is not needed. */
function importsOf({ specifiers, source: { value }, importKind }: ImportStatement): Definition[] {
  const from = JSON.stringify(value);
  return specifiers.map((specifier) => {
    const local = specifier.local.name;
    const type = importKind === "type" || ("importKind" in specifier && specifier.importKind === "type") ? "type " : "";
    const what = { ImportDefaultSpecifier: local, ImportNamespaceSpecifier: `* as ${local}` };
    const clause =
      specifier.type === "ImportSpecifier" ? named(nameOf(specifier.imported), local) : what[specifier.type];
    return { names: [local], uses: [], kind: "import", text: `import ${type}${clause} from ${from};` };
  });
}

function named(imported: string, local: string): string {
  const name = /^[\w$]+$/.test(imported) ? imported : JSON.stringify(imported);
  return `{ ${imported === local ? name : `${name} as ${local}`} }`;
}

interface Written {
  readonly kind: Definition["kind"];
  /** The comment before it. */
  readonly doc: string;
  readonly text: string;
}

function defined(name: string, node: unknown, { kind, doc, text }: Written): Definition {
  return { names: [name], uses: usesOf(node), kind, text: doc + text, exported: `${doc}export ${text}` };
}

function variablesOf(source: string, { kind, declarations }: VariableDeclaration, doc: string): Definition[] {
  return declarations.map((node): Definition => {
    const { id, init } = node;
    const isFunction = init?.type === "ArrowFunctionExpression" || init?.type === "FunctionExpression";
    if (id.type !== "Identifier" || kind !== "const" || !init || !(isFunction || isPlain(init)))
      return { names: boundNames(id), uses: [], kind: "state", text: "" };
    const text = `const ${source.slice(node.start, node.end)};`;
    return defined(id.name, node, { kind: isFunction ? "function" : "constant", doc, text });
  });
}

/** Whether a value is written out: it is the same wherever it stands. */
function isPlain(node: object): boolean {
  const { type } = node as { type: string };
  const fields = node as Record<string, unknown>;
  const all = (list: unknown) => (list as (object | null)[]).every((one) => one !== null && isPlain(one));
  switch (type) {
    case "Literal":
    case "Identifier":
      return true;
    case "UnaryExpression":
      return isPlain(fields["argument"] as object);
    case "BinaryExpression":
      return all([fields["left"], fields["right"]]);
    case "ArrayExpression":
      return all(fields["elements"]);
    case "ObjectExpression":
      return all(fields["properties"]);
    case "Property":
      return fields["kind"] === "init" && fields["computed"] === false && isPlain(fields["value"] as object);
    case "TemplateLiteral":
      return all(fields["expressions"]);
    case "TSAsExpression":
    case "TSSatisfiesExpression":
      return isPlain(fields["expression"] as object);
    case "NewExpression":
      return ["Map", "Set", "RegExp", "Date"].includes(nameOf(fields["callee"] as never)) && all(fields["arguments"]);
    default:
      return false;
  }
}

function docBefore(source: string, comments: ParseResult["comments"], start: number): string {
  const comment = comments.findLast(({ end }) => end <= start);
  const isDoc = comment?.type === "Block" && comment.value.startsWith("*");
  if (!isDoc || source.slice(comment.end, start).trim() !== "") return "";
  return `${source.slice(comment.start, comment.end)}\n`;
}

/** The names in it that it does not bind, in whatever scope of its own. */
function usesOf(node: unknown): string[] {
  const found = { used: new Set<string>(), bound: new Set<string>() };
  look(node, found);
  return [...found.used].filter((name) => !found.bound.has(name));
}

/** Where a name is only the name of a member, of a key or of a label. */
const memberNames: Readonly<Record<string, readonly string[]>> = {
  MemberExpression: ["property"],
  Property: ["key"],
  MethodDefinition: ["key"],
  PropertyDefinition: ["key"],
  TSPropertySignature: ["key"],
  TSMethodSignature: ["key"],
  TSQualifiedName: ["right"],
  LabeledStatement: ["label"],
  BreakStatement: ["label"],
  ContinueStatement: ["label"],
};
const patternFields = ["id", "param", "params"];

function look(node: unknown, found: { readonly used: Set<string>; readonly bound: Set<string> }): void {
  if (Array.isArray(node)) {
    for (const each of node) look(each, found);
    return;
  }
  if (typeof node !== "object" || node === null || !("type" in node)) return;
  const fields = node as Record<string, unknown> & { type: string };
  if (fields.type === "Identifier") found.used.add(String(fields["name"]));
  if (fields.type === "TSTypeParameter") found.bound.add(nameOf(fields["name"] as never));
  for (const field of patternFields) {
    for (const pattern of [fields[field]].flat())
      for (const name of boundNames(pattern as BindingPattern | undefined)) found.bound.add(name);
  }
  const skipped = fields["computed"] === true ? [] : (memberNames[fields.type] ?? []);
  for (const [key, value] of Object.entries(fields)) if (!skipped.includes(key)) look(value, found);
}

function boundNames(
  pattern: BindingPattern | { readonly type: "RestElement"; readonly argument: BindingPattern } | undefined | null,
): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((one) => boundNames(one.type === "RestElement" ? one : one.value));
    case "ArrayPattern":
      return pattern.elements.flatMap((one) => boundNames(one));
    case "RestElement":
      return boundNames(pattern.argument);
    case "AssignmentPattern":
      return boundNames(pattern.left);
    default:
      return [];
  }
}
