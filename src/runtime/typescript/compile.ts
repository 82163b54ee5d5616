import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { type ParseResult, type Span, Visitor } from "oxc-parser";
import { transformSync } from "oxc-transform";
import type { Problem } from "../checks/problem.ts";
import type { Compiled, Declared, Import } from "../compiled.ts";
import { applyEdits, blank, type Edit, insert } from "../edits.ts";
import { positionOf } from "../source.ts";
import { moduleExports } from "./module-exports.ts";
import { keptNames, sessionEdits } from "./session-edits.ts";
import { declarationOf, dynamicSpecifier, guestFile, parseScript, passedOn } from "./syntax.ts";

/**
 * TypeScript as a guest writes it (imports, top-level await and return, a last expression that is the result)
 * as a function that an engine can call. Lines stay where they are, one below the function's own first line.
 * In a session, what the top level defines is kept on the global object, where the next run finds it.
 */
export function compile(source: string, options: { readonly session?: boolean } = {}): CompileResult {
  const parsed = read(source);
  if ("problems" in parsed) return parsed;
  const declared = options.session ? [...importedNames(parsed), ...keptNames(parsed.program)] : [];
  const edits = [...importEdits(source, parsed), ...exportEdits(source, parsed), ...resultEdits(parsed)];
  const body = applyEdits(source, options.session ? [...edits, ...sessionEdits(source, parsed.program)] : edits);
  const first = `${importStatements(parsed)} ${keepStatements(parsed, declared)}`;
  const compiled = transform("__import", first, body);
  if ("problems" in compiled) return compiled;
  const { code, lineOf } = compiled;
  return { code: `${code}\n//# sourceURL=${guestFile}`, imports: importsOf(source, parsed), declared, lineOf };
}

/** A module of a guest: the same, but that it has exports and no result. */
export function compileModule(source: string): CompileResult {
  const parsed = read(source);
  if ("problems" in parsed) return parsed;
  const { define, passOn, edits } = moduleExports(source, parsed.program);
  const body = applyEdits(source, [...importEdits(source, parsed), ...edits]);
  const compiled = transform(
    "__import, __export, __exportAll",
    `${define} ${importStatements(parsed)} ${passOn}`,
    body,
  );
  if ("problems" in compiled) return compiled;
  return { ...compiled, imports: [...importsOf(source, parsed), ...passedOnImports(source, parsed)], declared: [] };
}

type Refused = { readonly problems: readonly Problem[] };
type CompileResult = Compiled | Refused;

function read(source: string): ParseResult | Refused {
  const parsed = parseScript(source);
  const fatal = parsed.program.body.length === 0 ? parsed.errors : [];
  if (fatal.length > 0) return { problems: fatal.map((error) => problemOf(source, error)) };
  const decorator = source.includes("@") ? findDecorator(parsed.program) : undefined;
  if (!decorator) return parsed;
  return { problems: [{ ...positionOf(source, decorator.start), message: "Decorators are not supported" }] };
}

/** JavaScript of an async function with that body, each line one below its place in the source. */
function transform(parameters: string, first: string, body: string): Pick<Compiled, "code" | "lineOf"> | Refused {
  const wrapped = `async (${parameters}) => { "use strict"; ${first}\n${body}\n}`;
  const transformed = transformSync(guestFile, wrapped, { lang: "ts", sourceType: "script", sourcemap: true });
  if (transformed.errors.length > 0) {
    const problems = transformed.errors.map((error) => problemOf(wrapped, error));
    return { problems: problems.map((problem) => ({ ...problem, line: Math.max(1, problem.line - 1) })) };
  }
  let map: TraceMap | undefined;
  return {
    code: transformed.code,
    lineOf(line, column) {
      map ??= new TraceMap(JSON.stringify(transformed.map));
      const { line: wrappedLine } = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
      return wrappedLine === null ? undefined : wrappedLine - 1;
    },
  };
}

/** The engine does not know decorators, and what they would become needs a library that guests do not have. */
function findDecorator(program: ParseResult["program"]): Span | undefined {
  let found: Span | undefined;
  new Visitor({
    Decorator: (node) => {
      found ??= node;
    },
  }).visit(program);
  return found;
}

type ParseError = { readonly message: string; readonly labels: readonly { readonly start: number }[] };

function problemOf(source: string, error: ParseError): Problem {
  return { ...positionOf(source, error.labels[0]?.start ?? 0), message: error.message };
}

/** Imports come first, whatever their place: that is how modules load. */
function importStatements({ module }: ParseResult): string {
  return module.staticImports
    .map(({ moduleRequest, entries }) => {
      const values = entries.filter((entry) => !entry.isType);
      if (entries.length > 0 && values.length === 0) return "";
      const specifier = JSON.stringify(moduleRequest.value);
      const named = values.filter(({ importName }) => importName.kind !== "NamespaceObject").map(importedName);
      const load = `await __import(${specifier}, ${JSON.stringify(named.map(([name]) => name))})`;
      const namespace = values.find(({ importName }) => importName.kind === "NamespaceObject");
      const bindings = named.map(([name, local]) => `${JSON.stringify(name)}: ${local}`).join(", ");
      return [
        namespace ? `const ${namespace.localName.value} = ${load};` : "",
        named.length > 0 ? `const { ${bindings} } = ${load};` : "",
        values.length === 0 ? `${load};` : "",
      ].join(" ");
    })
    .join(" ");
}

type ImportEntry = ParseResult["module"]["staticImports"][number]["entries"][number];

function importedName({ importName, localName }: ImportEntry): [name: string, local: string] {
  return [importName.kind === "Default" ? "default" : (importName.name ?? localName.value), localName.value];
}

function importEdits(source: string, { module }: ParseResult): Edit[] {
  return [
    ...module.staticImports.map(({ start, end }) => blank(source, start, end)),
    ...module.dynamicImports.map(({ start }) => ({ start, end: start + "import".length, text: "__import" })),
  ];
}

/** A guest has no importer: what it exports stays an ordinary declaration. */
export function exportEdits(source: string, { program }: ParseResult): Edit[] {
  return program.body.flatMap((statement) => {
    if (statement.type === "ExportAllDeclaration") return [blank(source, statement.start, statement.end)];
    const declaration = declarationOf(statement);
    return declaration === statement ? [] : [blank(source, statement.start, declaration?.start ?? statement.end)];
  });
}

/** The last statement, when it is an expression, becomes the function's value. */
export function resultEdits({ program }: ParseResult): Edit[] {
  const last = program.body.filter((statement) => statement.type !== "EmptyStatement").at(-1);
  const value =
    last?.type === "ExpressionStatement"
      ? last.expression
      : last?.type === "ExportDefaultDeclaration" && !/Declaration$/.test(last.declaration.type)
        ? last.declaration
        : undefined;
  if (!value) return [];
  return [insert(value.start, "return ("), insert(value.end, ")")];
}

function importsOf(source: string, { module }: ParseResult): Import[] {
  return [
    ...module.staticImports.map(({ start, moduleRequest }) => importAt(source, moduleRequest.value, start)),
    ...module.dynamicImports.flatMap((one) => {
      const specifier = dynamicSpecifier(source, one);
      return specifier === undefined ? [] : [importAt(source, specifier, one.start)];
    }),
  ];
}

function importAt(source: string, specifier: string, start: number): Import {
  return { specifier, library: /^mcp_tools\/(.+)$/.exec(specifier)?.[1], ...positionOf(source, start) };
}

/** What a module exports from others, it imports. */
function passedOnImports(source: string, { program }: ParseResult): Import[] {
  return passedOn(program).map(({ start, specifier }) => importAt(source, specifier.value, start));
}

function importedNames({ module }: ParseResult): Declared[] {
  return module.staticImports.flatMap(({ moduleRequest, entries }) =>
    entries
      .filter((entry) => !entry.isType)
      .map((entry) => ({
        name: entry.localName.value,
        from: {
          specifier: moduleRequest.value,
          member: entry.importName.kind === "NamespaceObject" ? "*" : importedName(entry)[0],
        },
      })),
  );
}

/** Puts what was imported and the functions, which are there from the first line on, where the next run finds them. */
function keepStatements({ program }: ParseResult, declared: readonly Declared[]): string {
  const names = declared.filter(({ isType }) => !isType).map(({ name }) => name);
  if (names.length === 0) return "";
  const functions = program.body
    .map(declarationOf)
    .flatMap((node) => (node?.type === "FunctionDeclaration" && node.id ? [node.id.name] : []));
  const now = [...declared.flatMap(({ name, from }) => (from ? [name] : [])), ...functions];
  const predeclare = `for (const name of ${JSON.stringify(names)}) if (!Object.hasOwn(globalThis, name)) globalThis[name] = undefined;`;
  return now.length === 0 ? predeclare : `${predeclare} Object.assign(globalThis, { ${now.join(", ")} });`;
}
