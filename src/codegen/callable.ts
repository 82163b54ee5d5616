import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { docText } from "./doc-comment.ts";
import { foldEager } from "./eager.ts";
import { parameterDocs } from "./parameter-docs.ts";
import { isSchemaObject } from "./schema-object.ts";
import { shapeOf } from "./schema-shape.ts";
import { createTypeScope, printType, type TypeScope, typeOf } from "./schema-type.ts";
import type { Definition, Shape } from "./shape.ts";

/** One tool as the parts of a function's declaration. */
export interface Callable {
  /** `args: { query: string }`, without the parentheses. */
  readonly parameters: string;
  readonly result: string;
  /** The types that the two need: name and type. */
  readonly aliases: ReadonlyMap<string, string>;
  /** The description and a line a parameter; not yet a comment. */
  docs(): string;
}

/** `taken` holds the names that aliases must avoid, and learns those they get. */
export function callableOf(tool: Tool, taken: Set<string>): Callable {
  const scope = createTypeScope(tool.identifier, taken);
  const input = shapeOf(tool.inputSchema, "Input");
  const parameters = parametersOf(input, tool.inputSchema, scope);
  const result = tool.outputSchema === undefined ? "any" : typeOf(tool.outputSchema, { unknown: "any", scope });
  return { parameters, result: `Promise<${result}>`, aliases: scope.aliases, docs: () => docsOf(tool, input) };
}

function docsOf(tool: Tool, input: Definition): string {
  const description = docText(tool.description, 1_000) || docText(tool.title, 200);
  return [description, ...parameterDocs(input)].filter((text) => text !== "").join("\n");
}

function parametersOf(input: Definition, schema: JsonSchema, scope: TypeScope): string {
  const { shape } = input;
  if (!mayBeObject(shape)) return "args?: Record<string, unknown>";
  const isEmpty = shape.kind === "object" && shape.fields.length === 0 && shape.index === undefined;
  // An empty list of properties means a tool without parameters; no list at all means that nothing is said.
  if (isEmpty && isSchemaObject(schema) && isSchemaObject(schema.properties)) return "args?: Record<string, never>";
  return `args${requiresSomething(shape) ? "" : "?"}: ${printType(input, { unknown: "unknown", scope })}`;
}

function mayBeObject(shape: Shape): boolean {
  return foldEager(shape, {
    leaf: ({ kind }) => kind === "object",
    union: (members) => members.some(Boolean),
    intersection: (members) => members.every(Boolean),
  });
}

function requiresSomething(shape: Shape): boolean {
  return foldEager(shape, {
    leaf: (leaf) => leaf.kind === "object" && leaf.fields.some((field) => field.required),
    union: (members) => members.every(Boolean),
    intersection: (members) => members.some(Boolean),
  });
}
