import { type DynamicImport, type ParseResult, parseSync, type Span } from "oxc-parser";

export type ParsedProgram = ParseResult["program"];
export type Statement = ParsedProgram["body"][number];

/** The name under which the guest's code appears in stack traces. */
export const guestFile = "guest.ts";

export function parseScript(source: string): ParseResult {
  return parseSync(guestFile, source, { lang: "ts", sourceType: "module" });
}

/** What a statement declares, whether it exports that or not. */
export function declarationOf(statement: Statement) {
  return statement.type === "ExportNamedDeclaration" || statement.type === "ExportDefaultDeclaration"
    ? statement.declaration
    : statement;
}

/** A name as it is exported or a key: `a`, or the text of `"a"`. */
export function nameOf(node: Span): string {
  if ("name" in node && typeof node.name === "string") return node.name;
  return "value" in node ? String(node.value) : "";
}

/** Where a program exports from other modules: its statements, and the specifiers with their quotes. */
export function passedOn({ body }: ParsedProgram) {
  return body.flatMap((statement) =>
    (statement.type === "ExportAllDeclaration" || statement.type === "ExportNamedDeclaration") && statement.source
      ? [{ start: statement.start, specifier: statement.source }]
      : [],
  );
}

/** The module that `import(…)` means, where that is written out. */
export function dynamicSpecifier(source: string, { moduleRequest }: DynamicImport): string | undefined {
  return /^["'`]([^"'`$\\]*)["'`]$/.exec(source.slice(moduleRequest.start, moduleRequest.end))?.[1];
}
