import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { type ParseResult, parseSync } from "oxc-parser";
import { transformSync } from "oxc-transform";
import type { Problem } from "./problem.ts";
import { positionOf } from "./source.ts";

/** A guest program, ready for an engine: one async function that takes the import function. */
export interface Compiled {
  readonly code: string;
  /** Every module that the guest names, static or dynamic. */
  readonly specifiers: readonly string[];
  /** The guest's line for a line and column of the compiled code. */
  lineOf(line: number, column: number): number | undefined;
}

/** The name under which the guest's code appears in stack traces. */
export const guestFile = "guest.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * TypeScript as a guest writes it (imports, top-level await and return, a last expression that is the result)
 * as a function that an engine can call. Lines stay where they are, one below the function's own first line.
 */
export function compile(source: string): Compiled | { readonly problems: readonly Problem[] } {
  const parsed = parseSync(guestFile, source, { lang: "ts", sourceType: "module" });
  const fatal = parsed.program.body.length === 0 ? parsed.errors : [];
  if (fatal.length > 0) return { problems: fatal.map((error) => problemOf(source, error)) };

  const edits = [...importEdits(source, parsed), ...exportEdits(source, parsed), ...resultEdits(parsed)];
  const body = applyEdits(source, edits);
  const wrapped = `async (__import) => { "use strict"; ${importStatements(parsed)}\n${body}\n}`;
  const transformed = transformSync(guestFile, wrapped, { lang: "ts", sourceType: "script", sourcemap: true });
  if (transformed.errors.length > 0) {
    return {
      problems: transformed.errors.map((error) => ({ ...problemOf(wrapped, error), ...shiftUp(wrapped, error) })),
    };
  }
  let map: TraceMap | undefined;
  return {
    code: `${transformed.code}\n//# sourceURL=${guestFile}`,
    specifiers: specifiersOf(source, parsed),
    lineOf(line, column) {
      map ??= new TraceMap(transformed.map as unknown as ConstructorParameters<typeof TraceMap>[0]);
      const { line: wrappedLine } = originalPositionFor(map, { line, column: Math.max(0, column - 1) });
      return wrappedLine === null ? undefined : wrappedLine - 1;
    },
  };
}

type ParseError = { readonly message: string; readonly labels: readonly { readonly start: number }[] };

function problemOf(source: string, error: ParseError): Problem {
  return { ...positionOf(source, error.labels[0]?.start ?? 0), message: error.message };
}

function shiftUp(wrapped: string, error: ParseError): { line: number } {
  return { line: Math.max(1, positionOf(wrapped, error.labels[0]?.start ?? 0).line - 1) };
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
function exportEdits(source: string, { program }: ParseResult): Edit[] {
  return program.body.flatMap((statement) => {
    if (statement.type === "ExportAllDeclaration") return [blank(source, statement.start, statement.end)];
    if (statement.type === "ExportNamedDeclaration") {
      return [blank(source, statement.start, statement.declaration?.start ?? statement.end)];
    }
    if (statement.type === "ExportDefaultDeclaration")
      return [blank(source, statement.start, statement.declaration.start)];
    return [];
  });
}

/** The last statement, when it is an expression, becomes the function's value. */
function resultEdits({ program }: ParseResult): Edit[] {
  const last = program.body.filter((statement) => statement.type !== "EmptyStatement").at(-1);
  const value =
    last?.type === "ExpressionStatement"
      ? last.expression
      : last?.type === "ExportDefaultDeclaration" && !/Declaration$/.test(last.declaration.type)
        ? last.declaration
        : undefined;
  if (!value) return [];
  return [
    { start: value.start, end: value.start, text: "return (" },
    { start: value.end, end: value.end, text: ")" },
  ];
}

function specifiersOf(source: string, { module }: ParseResult): string[] {
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    source.slice(moduleRequest.start, moduleRequest.end),
  );
  const literals = dynamic.flatMap((text) => /^["'`]([^"'`$\\]*)["'`]$/.exec(text)?.[1] ?? []);
  return [...new Set([...module.staticImports.map(({ moduleRequest }) => moduleRequest.value), ...literals])];
}

function blank(source: string, start: number, end: number): Edit {
  return { start, end, text: source.slice(start, end).replace(/[^\n\r\u2028\u2029]/g, " ") };
}

function applyEdits(source: string, edits: readonly Edit[]): string {
  let result = "";
  let offset = 0;
  for (const { start, end, text } of [...edits].sort(
    (left, right) => left.start - right.start || left.end - right.end,
  )) {
    result += source.slice(offset, start) + text;
    offset = end;
  }
  return result + source.slice(offset);
}
