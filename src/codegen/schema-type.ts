import { aliasName } from "./alias-name.ts";
import { foldEager } from "./eager-cycles.ts";
import { quote } from "./quote.ts";
import { shapeOf } from "./schema-shape.ts";
import { type Definition, type Field, maximumDepth, partsOf, type Shape } from "./shape.ts";

const maximumAlternatives = 1_000;
const shortEnoughToRepeat = 60;

/** What the types of one tool share. */
export interface TypeScope {
  /** The start of each alias's name. */
  readonly prefix: string;
  /** Names that an alias must not take; each new alias is added. */
  readonly taken: Set<string>;
  /** The aliases that the printed types need: name and type. */
  readonly aliases: Map<string, string>;
  /** What is left of the tool's budget; past it a type is unknown, with a comment that says so. */
  charactersLeft: number;
}

export interface TypeOptions {
  readonly scope: TypeScope;
  /** What stands for a value of which nothing is known: `unknown` where a guest writes it, `any` where a guest reads it. */
  readonly unknown: "unknown" | "any";
}

interface Printer extends TypeOptions {
  readonly names: Map<Definition, string>;
  readonly short: Map<Definition, string | undefined>;
}

export function createTypeScope(prefix: string, taken: Set<string>): TypeScope {
  return { prefix, taken, aliases: new Map(), charactersLeft: 20_000 };
}

/** The TypeScript type of any value that claims to be a schema; the aliases it needs go to the scope. */
export function typeOf(schema: unknown, options: TypeOptions): string {
  return printType(shapeOf(schema, options.unknown === "any" ? "Output" : "Input"), options);
}

export function printType(root: Definition, options: TypeOptions): string {
  const printer: Printer = { ...options, names: new Map(), short: new Map() };
  const type = printReference(printer, root, -1);
  // Printing one alias may name others: the loop sees them too.
  for (const [definition, name] of printer.names) options.scope.aliases.set(name, print(printer, definition.shape, 0));
  return type;
}

function print(printer: Printer, shape: Shape, depth: number): string {
  if (printer.scope.charactersLeft <= 0) return tooLarge(printer);
  if (depth > maximumDepth) return spend(printer, `${printer.unknown} /* too deep */`);
  switch (shape.kind) {
    case "unknown":
      return spend(printer, shape.why ? `${printer.unknown} /* ${shape.why} */` : printer.unknown);
    case "never":
      return spend(printer, "never");
    case "primitive":
      return spend(printer, shape.name === "integer" ? "number" : shape.name);
    case "literal":
      return spend(printer, typeof shape.value === "string" ? quote(shape.value) : String(shape.value));
    case "array":
      return `${grouped(printer, shape.items, depth + 1)}[]`;
    case "tuple":
      return printTuple(printer, shape, depth + 1);
    case "object":
      return shape.fields.length === 0
        ? printRecord(printer, shape, depth + 1)
        : printObject(printer, shape, depth + 1);
    case "union":
      return printUnion(printer, shape, depth);
    case "intersection":
      if (alternativesOf(shape) > maximumAlternatives) return spend(printer, tooLarge(printer));
      return [...new Set(shape.members.map((member) => grouped(printer, member, depth)))].join(" & ");
    case "reference":
      return printReference(printer, shape.target, depth);
  }
}

/** The text, paid for from the tool's budget with what joins it to the next. */
function spend(printer: Printer, text: string): string {
  const printed = text.length > printer.scope.charactersLeft ? tooLarge(printer) : text;
  printer.scope.charactersLeft -= printed.length + 2;
  return printed;
}

function tooLarge({ unknown }: Printer): string {
  return `${unknown} /* too large */`;
}

function printUnion(printer: Printer, shape: Shape & { kind: "union" }, depth: number): string {
  const { charactersLeft } = printer.scope;
  const members = new Set(shape.members.map((member) => print(printer, member, depth)));
  if (!members.has(tooLarge(printer))) return [...members].join(" | ");
  // One alternative that is unknown makes all of them unknown: their text would be paid for nothing.
  printer.scope.charactersLeft = charactersLeft;
  return spend(printer, tooLarge(printer));
}

function grouped(printer: Printer, shape: Shape, depth: number): string {
  const text = print(printer, shape, depth);
  return isJoined(printer, shape) && / [|&] /.test(text) ? `(${text})` : text;
}

function isJoined(printer: Printer, shape: Shape): boolean {
  if (shape.kind === "reference") return !printer.names.has(shape.target) && isJoined(printer, shape.target.shape);
  return shape.kind === "union" || shape.kind === "intersection";
}

function printTuple(printer: Printer, shape: Shape & { kind: "tuple" }, depth: number): string {
  const items: string[] = [];
  for (const [position, item] of shape.items.entries()) {
    if (printer.scope.charactersLeft <= 0)
      return `[${[...items, `...${printer.unknown}[] /* too large */`].join(", ")}]`;
    items.push(position < shape.required ? print(printer, item, depth) : `${grouped(printer, item, depth)}?`);
  }
  if (shape.rest) items.push(`...${grouped(printer, shape.rest, depth)}[]`);
  return `[${items.join(", ")}]`;
}

function printRecord(printer: Printer, shape: Shape & { kind: "object" }, depth: number): string {
  if (shape.index === undefined) return spend(printer, `Record<string, ${shape.closed ? "never" : printer.unknown}>`);
  const value = print(printer, shape.index, depth);
  // TypeScript refuses an alias that recurs through `Record` and takes one that recurs through an index signature.
  return hasReference(shape.index) ? `{ [key: string]: ${value} }` : `Record<string, ${value}>`;
}

function printObject(printer: Printer, shape: Shape & { kind: "object" }, depth: number): string {
  const fields = shape.fields.map((field) => printField(printer, field, depth)).filter((field) => field !== undefined);
  const parts = fields.map(({ name, optional, type }) => `${name}${optional}: ${type}`);
  if (fields.length < shape.fields.length) parts.push(`[key: string]: ${printer.unknown} /* too large */`);
  else if (shape.index) {
    const value = print(printer, shape.index, depth);
    // Every named property has to fit the index signature, and an optional one may be undefined.
    const fits = fields.every(({ optional, type }) => optional === "" && type === value);
    parts.push(`[key: string]: ${fits ? value : printer.unknown}`);
  }
  return `{ ${parts.join("; ")} }`;
}

function printField(
  printer: Printer,
  field: Field,
  depth: number,
): { name: string; optional: string; type: string } | undefined {
  const { scope } = printer;
  if (field.name.length > scope.charactersLeft) return undefined;
  const name = /^[A-Za-z_$][\w$]*$/.test(field.name) ? field.name : quote(field.name);
  if (name.length > scope.charactersLeft) return undefined;
  scope.charactersLeft -= name.length + 4;
  return { name, optional: field.required ? "" : "?", type: print(printer, field.shape, depth) };
}

/** A definition that is used once stands where it is used; one that recurs, or is used again and is long, gets a name. */
function printReference(printer: Printer, target: Definition, depth: number): string {
  const known = printer.names.get(target);
  if (known !== undefined) return spend(printer, known);
  if (target.uses === 1) return print(printer, target.shape, depth + 1);
  const text = shortText(printer, target);
  if (text !== undefined) return spend(printer, text);
  const { prefix, taken, charactersLeft } = printer.scope;
  const name = aliasName(prefix, target.hint, taken);
  if (name.length <= charactersLeft) {
    taken.add(name);
    printer.names.set(target, name);
  }
  return spend(printer, name);
}

function shortText(printer: Printer, target: Definition): string | undefined {
  if (!printer.short.has(target)) {
    const { charactersLeft } = printer.scope;
    const text = hasReference(target.shape) ? undefined : print(printer, target.shape, 0);
    printer.scope.charactersLeft = charactersLeft;
    printer.short.set(target, text !== undefined && text.length <= shortEnoughToRepeat ? text : undefined);
  }
  return printer.short.get(target);
}

function hasReference(shape: Shape): boolean {
  return shape.kind === "reference" || partsOf(shape).some(hasReference);
}

/** How many members the union has that TypeScript makes of a shape. It gives up on an intersection that makes too many. */
function alternativesOf(shape: Shape): number {
  return foldEager(shape, {
    leaf: () => 1,
    union: (members) => members.reduce((sum, count) => sum + count, 0),
    intersection: (members) => members.reduce((product, count) => product * count, 1),
  });
}
