import type { Tool } from "../../catalog/tool.ts";
import { observedLength } from "../observed-note.ts";
import { defaultOf, toolDocs } from "../parameter-docs.ts";
import { shapeOf } from "../schema-shape.ts";
import type { Field } from "../shape.ts";
import { keywordsOf, parametersOf } from "./parameter-names.ts";
import { quotePython } from "./quote.ts";
import { createPrinter, createTypeScope, type DeclaredType, type Printer, printType } from "./schema-type.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** One tool as the parts of a Python function's declaration. */
export interface Callable {
  /** `query: str`, `limit: int = ...`, `**others: Any`. */
  readonly parameters: readonly string[];
  readonly result: string;
  /** The types that the two need, by name. */
  readonly declared: ReadonlyMap<string, DeclaredType>;
  /** The description and a line a parameter; not yet a docstring. */
  docs(): string;
}

export interface CallableOptions {
  /** The names that declared types must avoid; learns those they get. */
  readonly taken: Set<string>;
  readonly vocabulary: Vocabulary;
  readonly exact: boolean;
  /** Whether parameters show their defaults, where those are short: `limit: int = 10`. */
  readonly shownDefaults?: boolean;
}

export function callableOf(tool: Tool, options: CallableOptions): Callable {
  const scope = createTypeScope({ ...options, prefix: tool.identifier });
  const { fields, others } = parametersOf(tool);
  const keywords = keywordsOf(fields.map(({ name }) => name));
  const keywordOf = (name: string): string => keywords.get(name) ?? name;
  const input = createPrinter(scope, "input");
  const parameters = fields.flatMap((field) => parameter(input, field, keywordOf(field.name), options) ?? []);
  const any = options.vocabulary.word("Any");
  if (parameters.length < fields.length) parameters.push(`**${otherName(keywords)}: ${any}`);
  else if (others) parameters.push(`**${otherName(keywords)}: ${printType(input, others, "Others")}`);
  const schema = tool.outputSchema ?? tool.observed?.schema;
  if (tool.outputSchema === undefined) scope.charactersLeft = Math.min(scope.charactersLeft, observedLength);
  const result =
    schema === undefined
      ? any
      : printType(createPrinter(scope, "output"), { kind: "reference", target: shapeOf(schema, "Result") }, "");
  const documented = fields.map((field) => ({ ...field, name: keywordOf(field.name), about: besideType(field) }));
  return {
    parameters,
    result,
    declared: scope.declared,
    docs: () => toolDocs(tool, { kind: "object", fields: documented, closed: false }),
  };
}

function parameter(
  printer: Printer,
  { name, required, shape, about }: Field,
  keyword: string,
  { shownDefaults = false }: Pick<CallableOptions, "shownDefaults">,
): string | undefined {
  const { scope } = printer;
  if (keyword.length > scope.charactersLeft) return undefined;
  scope.charactersLeft -= keyword.length + 4;
  const standard = shownDefaults ? defaultOf(about) : undefined;
  const ending = required ? "" : ` = ${standard === undefined ? "..." : literalOf(standard)}`;
  return `${keyword}: ${printType(printer, shape, name)}${ending}`;
}

function literalOf(value: NonNullable<ReturnType<typeof defaultOf>>): string {
  if (typeof value === "string") return quotePython(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "number" ? String(value) : `[${value.map(literalOf).join(", ")}]`;
}

/** No parameter's name, so that the function is legal. */
function otherName(keywords: ReadonlyMap<string, string>): string {
  const taken = new Set(keywords.values());
  let name = "others";
  while (taken.has(name)) name = `${name}_`;
  return name;
}

/** Python's types tell integers from other numbers: no words are needed. */
function besideType({ about }: Field): Field["about"] {
  return about.map((schema) => ({ ...schema, type: undefined }));
}
