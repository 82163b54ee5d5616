import type { Tool } from "../catalog/tool.ts";
import { pascalCase } from "./alias-name.ts";
import { defaultOf, exampleOf, formatOf } from "./parameter-docs.ts";
import { keywordsOf, parametersOf } from "./python/parameter-names.ts";
import { quotePython } from "./python/quote.ts";
import { quote } from "./quote.ts";
import { shapeOf } from "./schema-shape.ts";
import type { Definition, Field, Shape } from "./shape.ts";
import { block, type Pieces, shareBlocks, textOf } from "./shared-blocks.ts";

/** How a language writes what a sketch says. */
interface SketchStyle {
  readonly words: Readonly<Record<"string" | "integer" | "number" | "boolean" | "null" | "unknown" | "object", string>>;
  literal(value: string | number | boolean | null): string;
  list(items: Pieces): Pieces;
  /** The parameters, in brackets: those that are given by position, and the others. */
  input(positional: readonly Pieces[], named: readonly Pieces[]): Pieces;
  optional(name: string, type: Pieces): Pieces;
  /** Between a parameter without a type and its default. */
  readonly equals: string;
  readonly returns: string;
  /** The names under which a tool's parameters are passed. */
  namesOf(exact: readonly string[]): ReadonlyMap<string, string>;
}

const styles: Readonly<Record<"typescript" | "python", SketchStyle>> = {
  typescript: {
    words: {
      ...{ string: "string", integer: "number", number: "number", boolean: "boolean" },
      ...{ null: "null", unknown: "any", object: "object" },
    },
    literal: (value) => (typeof value === "string" ? quote(value) : String(value)),
    list: (items) => [
      ...items.map((item) => (typeof item === "string" ? item : { ...item, isBracketed: item.isJoined })),
      "[]",
    ],
    input: (positional, named) => {
      const options = named.length === 0 ? [] : [["{ ", ...joined(named, ", "), " }"]];
      return ["(", ...joined([...positional, ...options], ", "), ")"];
    },
    optional: (name, type) => typed(`${name}?`, type),
    equals: " = ",
    returns: ": ",
    namesOf: (exact) => new Map(exact.map((name) => [name, fieldName(name)])),
  },
  python: {
    words: {
      ...{ string: "str", integer: "int", number: "float", boolean: "bool" },
      ...{ null: "None", unknown: "Any", object: "dict" },
    },
    literal: (value) => {
      if (typeof value === "string") return quotePython(value);
      return typeof value === "boolean" ? (value ? "True" : "False") : String(value ?? "None");
    },
    list: (items) => ["[", ...items, "]"],
    input: (positional, named) => {
      const onlyByName = named.length > 0 && named[0]?.[0] !== "…" ? [["*"]] : [];
      return ["(", ...joined([...positional, ...onlyByName, ...named], ", "), ")"];
    },
    optional: (name, type) => (type.length === 0 ? [`${name}=...`] : [...typed(name, type), " = ..."]),
    equals: "=",
    returns: " -> ",
    namesOf: keywordsOf,
  },
};

/** Properties in `positional` are parameters of their own, before the others. */
export type SketchedTool = Tool & { readonly positional?: readonly string[] };

/** How many characters the parameters of a tool may take, and its result; of none the result is left out. */
const mostOfInput = 700;
const usualResult = 320;
const shortEnoughToRepeat = 40;
const longestWord = 200;

/**
 * Tools in as few words as a model needs to call them: `git_log({ path?, maxCount: number = 10 }): { commits: { hash }[] }`. A name
 * without a type is a text. What is long is cut by its depth, `{…}`; what stands in several places is written once, among the types.
 */
export function sketchTools(
  tools: readonly SketchedTool[],
  language: keyof typeof styles,
  { mostOfResult = usualResult }: { readonly mostOfResult?: number } = {},
): { readonly calls: readonly string[]; readonly types: readonly string[] } {
  const style = styles[language];
  const taken = new Set(tools.map(({ identifier }) => identifier));
  const { texts, meanings } = shareBlocks(
    tools.map((tool) => callOf(tool, style, mostOfResult)),
    {
      least: shortEnoughToRepeat,
      nameFor(hint) {
        const base = pascalCase(hint).replace(/^(?![A-Z])/, "Type");
        let name = base;
        for (let number = 2; taken.has(name); number++) name = `${base}${number}`;
        taken.add(name);
        return name;
      },
    },
  );
  return { calls: texts, types: [...meanings].map(([name, type]) => `${name} = ${type}`) };
}

function callOf(tool: SketchedTool, style: SketchStyle, mostOfResult: number): Pieces {
  const input = [tool.identifier, ...inputOf(tool, style)];
  const schema = tool.outputSchema ?? tool.observed?.schema;
  if (schema === undefined || mostOfResult === 0) return input;
  const { shape } = shapeOf(schema, "Result");
  const result = fitting(resultLevels, mostOfResult, (page) => sketch(shape, { style, ...page, hint: "Result" }));
  return [...input, style.returns, ...result];
}

function inputOf(tool: SketchedTool, style: SketchStyle): Pieces {
  const { positional = [] } = tool;
  const { fields, others } = parametersOf(tool);
  const names = style.namesOf(fields.map(({ name }) => name));
  const first = positional.flatMap((name) => fields.find((field) => field.name === name) ?? []);
  const named = fields.filter((field) => !first.includes(field));
  const ordered = [...named.filter(({ required }) => required), ...named.filter(({ required }) => !required)];
  return fitting(inputLevels, mostOfInput, (page) => {
    const print = (listed: readonly Field[]) =>
      whileRoom(listed, { room: page.room }, (field) =>
        parameter(field, names.get(field.name) ?? field.name, { style, ...page, isInput: true }),
      );
    return style.input(print(first), [...print(ordered), ...(others ? [["…"]] : [])]);
  });
}

/** The first level that fits. What is too long even on the last one ends in `…`. */
function fitting(levels: readonly Level[], most: number, print: (page: Page) => Pieces): Pieces {
  for (const level of levels) {
    const page = { ...level, room: { left: most } };
    const pieces = print(page);
    if (page.room.left >= 0) return pieces;
  }
  return print({ depth: 1, width: 30, choices: 30, ...levels.at(-1), room: { left: most * 2 } });
}

/** How much is shown. */
interface Level {
  /** How many levels of objects. */
  readonly depth: number;
  /** How many fields of an object. */
  readonly width: number;
  /** How many alternatives. */
  readonly choices: number;
}

interface Page extends Level {
  /** How many characters may still be written: a small schema can make an endless text. */
  readonly room: { left: number };
}

const inputDepths = [8, 4, 3, 2, 1];
/** All that can be given should be seen, but not how what is deep inside of it looks. */
const inputLevels: readonly Level[] = inputDepths.map((depth) => ({ depth, width: 30, choices: 30 }));
/** In a result the form of what is listed counts, and not each of its fields; a program reads its values and need not know all. */
const resultLevels: readonly Level[] = [
  ...[30, 12, 8, 6, 4].map((width) => ({ depth: 5, width, choices: 4 })),
  ...[3, 2, 1].map((depth) => ({ depth, width: 8, choices: 4 })),
];

interface Sketching extends Page {
  readonly style: SketchStyle;
  readonly hint?: string;
  /** Whether it is what a caller gives: texts are shown by examples, and that what is optional may be null is left out. */
  readonly isInput?: boolean;
  /** Definitions that this stands in. */
  readonly within?: readonly Definition[];
}

function parameter(field: Field, exact: string, sketching: Sketching): Pieces {
  const { style, room } = sketching;
  const [name] = written(exact, room);
  const type = typeOfField(field, sketching);
  if (field.required) return typed(name, type);
  const standard = defaultOf(field.about);
  if (standard === undefined) return style.optional(name, type);
  const shown = typeof standard === "object" ? `[${standard.map(style.literal).join(", ")}]` : style.literal(standard);
  // The default says of what type it is, unless there is a choice.
  return isChoice(field.shape) ? [...typed(name, type), ` = ${shown}`] : [`${name}${style.equals}${shown}`];
}

function isChoice(shape: Shape): boolean {
  const bare = withoutNull(shape.kind === "reference" ? shape.target.shape : shape);
  return bare.kind !== "primitive";
}

/** Empty for a text of no special form. */
function typeOfField({ name, shape, about }: Field, sketching: Sketching): Pieces {
  const bare = sketching.isInput ? withoutNull(shape) : shape;
  if (bare.kind === "primitive" && bare.name === "string") {
    const format = formatOf(about);
    if (format !== undefined) return written(format, sketching.room);
    const example = sketching.isInput ? exampleOf(about) : undefined;
    return example === undefined ? [] : written(`like ${sketching.style.literal(example)}`, sketching.room);
  }
  return sketch(bare, { ...sketching, hint: name });
}

/** Whether it is all that JSON can say, which some schemas spell out. */
function isAnything({ members }: Shape & { kind: "union" }): boolean {
  const has = (name: string) => members.some((member) => member.kind === "primitive" && member.name === name);
  const holdsOthers = members.some(({ kind }) => kind === "array" || kind === "object");
  return has("string") && has("boolean") && (has("number") || has("integer")) && holdsOthers;
}

function withoutNull(shape: Shape): Shape {
  if (shape.kind !== "union") return shape;
  const others = shape.members.filter((member) => !(member.kind === "primitive" && member.name === "null"));
  const [only] = others;
  return only !== undefined && others.length === 1 ? only : shape;
}

function sketch(shape: Shape, sketching: Sketching): Pieces {
  const { style, depth, room, hint = "Type", within = [] } = sketching;
  switch (shape.kind) {
    case "unknown":
    case "never":
      return written(style.words.unknown, room);
    case "primitive":
      return written(style.words[shape.name], room);
    case "literal":
      return written(style.literal(shape.value), room);
    case "array":
      return style.list(sketch(shape.items, sketching));
    case "tuple":
      return [
        "[",
        ...joined(
          shape.items.map((item) => sketch(item, sketching)),
          ", ",
        ),
        shape.rest ? ", …]" : "]",
      ];
    case "object":
      if (shape.fields.length === 0 && (shape.index === undefined || shape.index.kind === "unknown"))
        return [style.words.object];
      return depth <= 0 ? ["{…}"] : [block(hint, objectOf(shape, { ...sketching, depth: depth - 1 }))];
    case "union":
    case "intersection": {
      if (shape.kind === "union" && isAnything(shape)) return written(style.words.unknown, room);
      const members = distinct(
        whileRoom(shape.members, { room, width: sketching.choices }, (member) => sketch(member, sketching)),
      );
      return members.length === 1
        ? (members[0] ?? [])
        : [block(hint, joined(members, shape.kind === "union" ? " | " : " & "), true)];
    }
    case "reference": {
      const { target } = shape;
      if (within.includes(target)) return ["{…}"];
      return sketch(target.shape, { ...sketching, within: [...within, target] });
    }
  }
}

function objectOf({ fields, index }: Shape & { kind: "object" }, sketching: Sketching): Pieces {
  const listed = whileRoom(fields, sketching, (field) => {
    const name = fieldName(field.name);
    return typed(...written(field.required ? name : `${name}?`, sketching.room), typeOfField(field, sketching));
  });
  if (index !== undefined) listed.push(index.kind === "unknown" ? ["…"] : ["[key]: ", ...sketch(index, sketching)]);
  return ["{ ", ...joined(listed, ", "), " }"];
}

/** The text, paid for with what joins it to the next; `…` for one that is longer than any that helps. */
function written(text: string, room: Page["room"]): [string] {
  const shown = text.length > longestWord ? "…" : text;
  room.left -= shown.length + 2;
  return [shown];
}

/** Of each in turn, as long as there is room; `…` stands for the others. */
function whileRoom<Part>(
  parts: readonly Part[],
  { room, width = Number.POSITIVE_INFINITY }: Pick<Page, "room"> & Partial<Level>,
  print: (part: Part) => Pieces,
): Pieces[] {
  const printed: Pieces[] = [];
  for (const part of parts) {
    if (room.left < 0 || printed.length >= width) return [...printed, ["…"]];
    printed.push(print(part));
  }
  return printed;
}

function typed(name: string, type: Pieces): Pieces {
  return type.length === 0 ? [name] : [`${name}: `, ...type];
}

function fieldName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}

function joined(parts: readonly Pieces[], between: string): Pieces {
  return parts.flatMap((part, index) => (index === 0 ? part : [between, ...part]));
}

function distinct(parts: readonly Pieces[]): readonly Pieces[] {
  return [...new Map(parts.map((part) => [textOf(part), part])).values()];
}
