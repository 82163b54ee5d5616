import type { JsonSchema, Tool } from "../catalog/tool.ts";
import { fieldsOf } from "../system/fields.ts";
import { foldEager } from "./eager-cycles.ts";
import { observedLength } from "./observed-note.ts";
import { toolDocs } from "./parameter-docs.ts";
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

/**
 * `taken` holds the names that aliases must avoid, and learns those they get. Properties in `positional` are parameters of
 * their own, the others an object behind them.
 */
export function callableOf(tool: Tool, taken: Set<string>, positional: readonly string[] = []): Callable {
  const scope = createTypeScope(tool.identifier, taken);
  const input = shapeOf(tool.inputSchema, "Input");
  const parameters =
    positional.length > 0
      ? positionalParameters(tool.inputSchema, positional, scope)
      : parametersOf(input, tool.inputSchema, scope);
  const result = resultOf(tool, scope);
  return { parameters, result: `Promise<${result}>`, aliases: scope.aliases, docs: () => toolDocs(tool, input.shape) };
}

function resultOf({ outputSchema, observed }: Tool, scope: TypeScope): string {
  if (outputSchema !== undefined) return typeOf(outputSchema, { unknown: "any", scope });
  if (observed === undefined) return "any";
  const charactersLeft = Math.min(scope.charactersLeft, observedLength);
  return typeOf(observed.schema, { unknown: "any", scope: { ...scope, charactersLeft } });
}

function parametersOf(input: Definition, schema: JsonSchema, scope: TypeScope): string {
  const { shape } = input;
  if (!mayBeObject(shape)) return "args?: Record<string, unknown>";
  const isEmpty = shape.kind === "object" && shape.fields.length === 0 && shape.index === undefined;
  // An empty list of properties means a tool without parameters; no list at all means that nothing is said.
  if (isEmpty && isSchemaObject(schema) && isSchemaObject(schema.properties)) return "args?: Record<string, never>";
  return `args${requiresSomething(shape) ? "" : "?"}: ${printType(input, { unknown: "unknown", scope })}`;
}

function positionalParameters(schema: JsonSchema, positional: readonly string[], scope: TypeScope): string {
  const { properties: written, required: names, ...rest } = fieldsOf(schema);
  const properties = fieldsOf(written);
  const required: readonly unknown[] = Array.isArray(names) ? names : [];
  const listed = positional.map((name) => {
    const isRequired = required.includes(name);
    return `${name}${isRequired ? "" : "?"}: ${typeOf(properties[name], { unknown: "unknown", scope })}`;
  });
  const others = Object.entries(properties).filter(([name]) => !positional.includes(name));
  if (others.length === 0) return listed.join(", ");
  const stillRequired = required.filter((name) => !positional.some((one) => one === name));
  const remaining = { ...rest, properties: Object.fromEntries(others), required: stillRequired };
  const options = typeOf(remaining, { unknown: "unknown", scope });
  return [...listed, `options${stillRequired.length > 0 ? "" : "?"}: ${options}`].join(", ");
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
