import type { BindingPattern, VariableDeclaration } from "oxc-parser";
import type { Declared } from "../compiled.ts";
import { blank, type Edit, insert } from "../edits.ts";
import { declarationOf, type ParsedProgram } from "./syntax.ts";

/** The names that the top level of a program defines, and that a session keeps. */
export function keptNames({ body }: Pick<ParsedProgram, "body">): Declared[] {
  return body.map(declarationOf).flatMap((statement): Declared[] => {
    switch (statement?.type) {
      case "VariableDeclaration":
        return isKept(statement)
          ? statement.declarations.flatMap(({ id }) => boundNames(id)).map((name) => ({ name }))
          : [];
      case "FunctionDeclaration":
        return statement.id ? [{ name: statement.id.name }] : [];
      case "ClassDeclaration":
        return statement.id ? [{ name: statement.id.name }, { name: statement.id.name, isType: true }] : [];
      case "TSEnumDeclaration":
        return [{ name: statement.id.name }, { name: statement.id.name, isType: true }];
      case "TSInterfaceDeclaration":
      case "TSTypeAliasDeclaration":
        return [{ name: statement.id.name, isType: true }];
      default:
        return [];
    }
  });
}

/** Turns declarations into assignments to the global object's properties, so that later runs share them. */
export function sessionEdits(source: string, { body }: ParsedProgram): Edit[] {
  return body.map(declarationOf).flatMap((statement): Edit[] => {
    switch (statement?.type) {
      case "VariableDeclaration":
        return isKept(statement) ? variableEdits(source, statement) : [];
      case "ClassDeclaration":
        return statement.id
          ? [insert(statement.start, `void (${statement.id.name} = `), insert(statement.end, ");")]
          : [];
      case "TSEnumDeclaration":
        return [insert(statement.end, ` globalThis.${statement.id.name} = ${statement.id.name};`)];
      default:
        return [];
    }
  });
}

/** `using` ends with its run, and `declare` is not code. */
function isKept({ kind, declare }: VariableDeclaration): boolean {
  return !declare && (kind === "const" || kind === "let" || kind === "var");
}

function variableEdits(source: string, { start, end, kind, declarations }: VariableDeclaration): Edit[] {
  return [
    { start, end: start + kind.length, text: "void (" },
    ...declarations.flatMap(({ id, init, end: declaratorEnd }) => [
      ...annotationEdits(source, id, init?.start ?? declaratorEnd),
      ...(init ? [] : [insert(declaratorEnd, " = undefined")]),
    ]),
    insert(declarations.at(-1)?.end ?? end, ")"),
    ...(source[end - 1] === ";" ? [] : [insert(end, ";")]),
  ];
}

/** An assignment has no place for a type: `a!: number = 1` becomes `a = 1`. */
function annotationEdits(source: string, id: BindingPattern, before: number): Edit[] {
  const annotation = "typeAnnotation" in id ? id.typeAnnotation : undefined;
  if (!annotation) return [];
  const mark = source.slice(0, annotation.start).trimEnd();
  const start = mark.endsWith("!") ? mark.length - 1 : annotation.start;
  return [blank(source, start, Math.min(annotation.end, before))];
}

function boundNames(pattern: BindingPattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        boundNames(property.type === "RestElement" ? property.argument : property.value),
      );
    case "ArrayPattern":
      return pattern.elements.flatMap((element) =>
        element === null ? [] : boundNames(element.type === "RestElement" ? element.argument : element),
      );
    case "AssignmentPattern":
      return boundNames(pattern.left);
    default:
      return [];
  }
}
