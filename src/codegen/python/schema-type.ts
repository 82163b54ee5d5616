import { aliasName } from "../alias-name.ts";
import { type Definition, type Field, maximumDepth, partsOf, type Shape, unknownShape } from "../shape.ts";
import { type MergedObject, mergeObjects } from "./merged-object.ts";
import { quotePython } from "./quote.ts";
import type { Vocabulary } from "./vocabulary.ts";

const shortEnoughToRepeat = 60;
/** A checker follows a chain of types by recursion, and its stack ends somewhere above a hundred of them. */
const maximumTypes = 40;
/** A chain of aliases can double with each: `A = B | list[B]`. */
const maximumAliases = 8;

/** What the types of one tool share. */
export interface TypeScope {
  /** The start of each declared type's name. */
  readonly prefix: string;
  /** Names that a declared type must not take; each new one is added. */
  readonly taken: Set<string>;
  readonly vocabulary: Vocabulary;
  /** Whether the types say exactly what the schema does; else they are so wide that no program that may work is refused. */
  readonly exact: boolean;
  /** The types that the printed ones need, by name. */
  readonly declared: Map<string, DeclaredType>;
  /** What is left of the tool's budget; past it a type is `Any`. */
  charactersLeft: number;
  /** How many more types it may declare. */
  typesLeft: number;
}

export type DeclaredType =
  | { readonly kind: "alias"; readonly type: string }
  | { readonly kind: "dictionary"; readonly items: readonly DictionaryItem[]; readonly others?: string };

export interface DictionaryItem {
  /** The exact key. */
  readonly key: string;
  readonly required: boolean;
  readonly type: string;
}

export interface Printer {
  readonly scope: TypeScope;
  /** Whether a guest writes the values or reads them. */
  readonly direction: "input" | "output";
  readonly aliases: Map<Definition, string>;
  readonly dictionaries: Map<string, string>;
  readonly numbers: Map<Shape, number>;
  /** What has a name and is yet to be printed under it. */
  readonly waiting: (() => void)[];
}

export function createTypeScope(options: Pick<TypeScope, "prefix" | "taken" | "vocabulary" | "exact">): TypeScope {
  return { ...options, declared: new Map(), charactersLeft: 20_000, typesLeft: maximumTypes };
}

export function createPrinter(scope: TypeScope, direction: Printer["direction"]): Printer {
  return { scope, direction, aliases: new Map(), dictionaries: new Map(), numbers: new Map(), waiting: [] };
}

/** The Python type of a shape. `hint` names the type if it needs a name; what it needs besides goes to the scope. */
export function printType(printer: Printer, shape: Shape, hint: string): string {
  const type = print(printer, shape, hint, 0);
  // Printing one definition may name others: the loop sees them too.
  for (let next = printer.waiting.shift(); next; next = printer.waiting.shift()) next();
  return type;
}

function print(printer: Printer, shape: Shape, hint: string, depth: number): string {
  const { scope } = printer;
  if (scope.charactersLeft <= 0 || depth > maximumDepth) return word(printer, "Any");
  if (shape.kind === "reference") return printReference(printer, shape.target, depth);
  const merged = asObject(printer, shape);
  if (merged) return printObject(printer, merged, hint, depth);
  switch (shape.kind) {
    case "never":
      return spend(printer, word(printer, isLooseOutput(printer) ? "Any" : "Never"));
    case "primitive":
      return spend(printer, primitive(printer, shape.name));
    case "literal":
      return spend(printer, literal(printer, shape));
    case "array":
      return `${listOf(printer)}[${print(printer, shape.items, hint, depth + 1)}]`;
    case "tuple":
      return printTuple(printer, shape, hint, depth + 1);
    case "union":
      return printUnion(printer, shape.members, hint, depth);
    case "intersection":
      // Whatever fits all of them fits each: the one that says the most is enough.
      return print(printer, shape.members.find(isLiteral) ?? shape.members[0] ?? unknownShape, hint, depth);
    default:
      return spend(printer, word(printer, "Any"));
  }
}

/** The text, paid for from the tool's budget with what joins it to the next. */
function spend(printer: Printer, text: string): string {
  const printed = text.length > printer.scope.charactersLeft ? word(printer, "Any") : text;
  printer.scope.charactersLeft -= printed.length + 2;
  return printed;
}

function word(printer: Printer, wanted: Parameters<Vocabulary["word"]>[0]): string {
  return printer.scope.vocabulary.word(wanted);
}

function isLooseInput({ scope, direction }: Printer): boolean {
  return !scope.exact && direction === "input";
}

function isLooseOutput({ scope, direction }: Printer): boolean {
  return !scope.exact && direction === "output";
}

function primitive(printer: Printer, name: (Shape & { kind: "primitive" })["name"]): string {
  switch (name) {
    case "string":
      return word(printer, "str");
    case "boolean":
      return word(printer, "bool");
    case "integer":
      return word(printer, "int");
    case "number":
      // A number that is read may well be an `int`, and be passed on where one is wanted.
      return isLooseOutput(printer) ? word(printer, "Any") : word(printer, "float");
    case "null":
      return isLooseOutput(printer) ? word(printer, "Any") : "None";
  }
}

/** A value as it stands in `Literal[…]`, which takes neither fractions nor, in our unions, None. */
function literalText(shape: Shape): string | undefined {
  if (shape.kind !== "literal" || shape.value === null) return undefined;
  const { value } = shape;
  if (typeof value === "string") return quotePython(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  return Number.isSafeInteger(value) ? String(value) : undefined;
}

function literal(printer: Printer, shape: Shape & { kind: "literal" }): string {
  const text = literalText(shape);
  if (text !== undefined) return `${word(printer, "Literal")}[${text}]`;
  return primitive(printer, shape.value === null ? "null" : "number");
}

function isLiteral(shape: Shape): boolean {
  return shape.kind === "literal" || (shape.kind === "union" && shape.members.every(isLiteral));
}

function listOf(printer: Printer): string {
  return word(printer, isLooseInput(printer) ? "List" : "list");
}

/** What is read is a list, whatever the schema says of its positions. */
function printTuple(printer: Printer, shape: Shape & { kind: "tuple" }, hint: string, depth: number): string {
  const parts = shape.rest ? [...shape.items, shape.rest] : shape.items;
  const isFixed = shape.rest === undefined && shape.required === shape.items.length;
  const { scope, direction } = printer;
  if (scope.exact && direction === "input" && isFixed && parts.length > 0) {
    return `${word(printer, "tuple")}[${parts.map((item) => print(printer, item, hint, depth)).join(", ")}]`;
  }
  return `${listOf(printer)}[${printUnion(printer, parts, hint, depth)}]`;
}

function printUnion(printer: Printer, all: readonly Shape[], hint: string, depth: number): string {
  const { charactersLeft } = printer.scope;
  const any = word(printer, "Any");
  // A null that may be there is no reason to refuse a program.
  const members = flatten(all).filter((member) => !(isLooseOutput(printer) && isNull(member)));
  const literals = members.flatMap((member) => literalText(member) ?? []).map((text) => spend(printer, text));
  const others = members.filter((member) => literalText(member) === undefined);
  const types = new Set(others.map((member) => print(printer, member, hint, depth)));
  if (literals.includes(any)) types.add(any);
  const listed = literals.length === 0 ? [] : [`${word(printer, "Literal")}[${[...new Set(literals)].join(", ")}]`];
  const joined = [...listed, ...types];
  // What only one of several has would be missing in the others.
  const isMixed = isLooseOutput(printer) && joined.length > 1;
  if (joined.length > 0 && !types.has(any) && !isMixed) return joined.join(" | ");
  printer.scope.charactersLeft = charactersLeft;
  return spend(printer, any);
}

function flatten(members: readonly Shape[]): Shape[] {
  return members.flatMap((member) => (member.kind === "union" ? flatten(member.members) : [member]));
}

function isNull(shape: Shape): boolean {
  return (shape.kind === "primitive" && shape.name === "null") || (shape.kind === "literal" && shape.value === null);
}

/** The shape as one object with properties; alternatives become one only where they are read. */
function asObject(printer: Printer, shape: Shape): MergedObject | undefined {
  if (shape.kind === "object") return { ...shape, leaves: new Set([shape]) };
  if (shape.kind === "intersection") return mergeObjects(shape);
  if (shape.kind !== "union" || !isLooseOutput(printer)) return undefined;
  return mergeObjects({ kind: "union", members: shape.members.filter((member) => !isNull(member)) });
}

function printObject(printer: Printer, merged: MergedObject, hint: string, depth: number): string {
  if (merged.fields.length === 0) return printMap(printer, merged, hint, depth);
  const key = keyOf(printer, merged);
  let name = printer.dictionaries.get(key);
  if (name === undefined) {
    const fresh = newName(printer, hint);
    if (fresh === undefined) return spend(printer, word(printer, "Any"));
    name = fresh;
    printer.dictionaries.set(key, name);
    printer.waiting.push(() => declareDictionary(printer, fresh, merged));
  }
  return spend(printer, orMapping(printer, name));
}

/** The same objects, joined in the same way, are one dictionary: that is how a cycle ends. */
function keyOf({ numbers }: Printer, { leaves, fields }: MergedObject): string {
  for (const leaf of leaves) if (!numbers.has(leaf)) numbers.set(leaf, numbers.size);
  const parts = [...leaves].map((leaf) => numbers.get(leaf) ?? 0).sort((a, b) => a - b);
  return `${parts.join()}:${fields.map(({ required }) => Number(required)).join("")}`;
}

function printMap(printer: Printer, { index, closed }: MergedObject, hint: string, depth: number): string {
  const map = word(printer, isLooseInput(printer) ? "Mapping" : "dict");
  const nothing = closed && printer.direction === "input" ? "Never" : "Any";
  const value = index ? print(printer, index, hint, depth + 1) : spend(printer, word(printer, nothing));
  return `${map}[${word(printer, "str")}, ${value}]`;
}

/** A dictionary that is not written in the call itself is a `dict` to a checker, whatever is in it. */
function orMapping(printer: Printer, name: string): string {
  if (!isLooseInput(printer)) return name;
  return `${name} | ${word(printer, "Mapping")}[${word(printer, "str")}, ${word(printer, "Any")}]`;
}

function declareDictionary(printer: Printer, name: string, merged: MergedObject): void {
  const any = word(printer, "Any");
  const items = merged.fields.flatMap((field) => dictionaryItem(printer, field) ?? []);
  const index = merged.index && print(printer, merged.index, name, 1);
  const others = items.length < merged.fields.length || isLooseOutput(printer) ? any : index;
  const isOpen = index !== undefined || items.length < merged.fields.length;
  printer.scope.declared.set(name, { kind: "dictionary", items, ...(isOpen && others !== undefined && { others }) });
}

function dictionaryItem(printer: Printer, field: Field): DictionaryItem | undefined {
  const { scope } = printer;
  // A checker takes no empty key.
  if (field.name === "" || field.name.length > scope.charactersLeft) return undefined;
  const { length } = quotePython(field.name);
  if (length > scope.charactersLeft) return undefined;
  scope.charactersLeft -= length + 4;
  // Whether an optional property is there is for the program to know.
  const required = field.required || isLooseOutput(printer);
  return { key: field.name, required, type: print(printer, field.shape, field.name, 1) };
}

/** A definition that is an object, or that recurs, or is used again and is long, gets a name; another stands where it is used. */
function printReference(printer: Printer, target: Definition, depth: number): string {
  const { shape, hint, uses } = target;
  const merged = asObject(printer, shape);
  if (merged && merged.fields.length > 0) return printObject(printer, merged, hint, depth);
  const known = printer.aliases.get(target);
  if (known !== undefined) return spend(printer, known);
  if (uses === 1) return print(printer, shape, hint, depth + 1);
  const text = shortText(printer, target);
  if (text !== undefined) return spend(printer, text);
  const name = printer.aliases.size < maximumAliases ? newName(printer, hint) : undefined;
  if (name === undefined) return spend(printer, word(printer, "Any"));
  printer.aliases.set(target, name);
  printer.waiting.push(() => {
    printer.scope.declared.set(name, { kind: "alias", type: print(printer, shape, hint, 0) });
  });
  return spend(printer, name);
}

function newName({ scope }: Printer, hint: string): string | undefined {
  if (scope.typesLeft === 0) return undefined;
  const name = aliasName(scope.prefix, hint, scope.taken);
  if (name.length > scope.charactersLeft) return undefined;
  scope.typesLeft -= 1;
  scope.taken.add(name);
  return name;
}

/** The text of a definition that needs no name of its own. */
function shortText(printer: Printer, { shape, hint }: Definition): string | undefined {
  if (needsName(shape)) return undefined;
  const { charactersLeft } = printer.scope;
  const text = print(printer, shape, hint, 0);
  printer.scope.charactersLeft = charactersLeft;
  return text.length <= shortEnoughToRepeat ? text : undefined;
}

function needsName(shape: Shape): boolean {
  if (shape.kind === "reference" || (shape.kind === "object" && shape.fields.length > 0)) return true;
  return partsOf(shape).some(needsName);
}
