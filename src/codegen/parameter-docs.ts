import { plainLine } from "../catalog/plain-text.ts";
import type { Tool } from "../catalog/tool.ts";
import { docText } from "./doc-comment.ts";
import { observedDocs } from "./observed-note.ts";
import type { SchemaObject } from "./schema-object.ts";
import { shapeOf } from "./schema-shape.ts";
import type { Field, Shape } from "./shape.ts";

const maximumNesting = 3;
const maximumLength = 4_000;
const maximumPath = 100;
const maximumDescription = 200;

/** What there is to say of a tool and its parameters; not yet a comment or docstring. */
export function toolDocs(tool: Tool, input: Shape): string {
  const description = docText(tool.description, 1_000) || docText(tool.title, 200);
  return [description, ...parameterDocs(input), observedDocs(tool)].filter((text) => text !== "").join("\n");
}

/** What is said of each parameter, in a line: `limit: How many`. */
export function describedParameters({ inputSchema }: Tool): string[] {
  const { shape } = shapeOf(inputSchema, "Input");
  const fields = shape.kind === "object" ? shape.fields : [];
  return fields.flatMap(({ name, about }) => {
    const description = firstOf(about, "description");
    if (typeof description !== "string" || description.trim() === "") return [];
    return `${plainLine(name, maximumPath)}: ${plainLine(description, 100)}`;
  });
}

/** A line for each parameter, and each property inside one, about which the type does not say all: `- limit: How many (1..50)`. */
function parameterDocs(input: Shape): string[] {
  const lines: string[] = [];
  let length = 0;
  for (const [path, field] of documented(input, "", 0)) {
    const line = describe(path, field);
    if (line === undefined) continue;
    length += line.length;
    if (length > maximumLength) return [...lines, "- …"];
    lines.push(line);
  }
  return lines;
}

function* documented(shape: Shape, path: string, nesting: number): Generator<[string, Field]> {
  switch (shape.kind) {
    case "object":
      for (const field of shape.fields) {
        const name = (path === "" ? field.name : `${path}.${field.name}`).slice(0, maximumPath);
        yield [name, field];
        if (nesting < maximumNesting) yield* documented(field.shape, name, nesting + 1);
      }
      return;
    case "array":
      return yield* documented(shape.items, `${path}[]`, nesting);
    case "union":
    case "intersection":
      for (const member of shape.members) yield* documented(member, path, nesting);
      return;
    case "reference":
      // One that is used again may recur, and is described by its name.
      if (shape.target.uses === 1) yield* documented(shape.target.shape, path, nesting);
  }
}

function describe(path: string, { about }: Field): string | undefined {
  const text = firstOf(about, "description") ?? firstOf(about, "title");
  const description = typeof text === "string" ? plainLine(text, maximumDescription) : "";
  const facts = factsOf(about).join(", ");
  if (description === "") return facts === "" ? undefined : `- ${plainLine(path, maximumPath)}: ${facts}`;
  return `- ${plainLine(path, maximumPath)}: ${description}${facts === "" ? "" : ` (${facts})`}`;
}

function factsOf(about: readonly SchemaObject[]): string[] {
  const read = (keyword: keyof SchemaObject) => firstOf(about, keyword);
  const pattern = read("pattern");
  const standard = defaultOf(about);
  return [
    read("type") === "integer" ? "integer" : "",
    formatOf(about) ?? "",
    typeof pattern === "string" && pattern.length <= 40 ? `matches ${plainLine(pattern, 40)}` : "",
    range(read("minimum"), read("maximum"), ""),
    comparison(">", read("exclusiveMinimum")),
    comparison("<", read("exclusiveMaximum")),
    range(read("minLength"), read("maxLength"), " characters"),
    range(read("minItems"), read("maxItems"), " items"),
    standard === undefined ? "" : `default ${plainLine(JSON.stringify(standard), 60)}`,
  ].filter((fact) => fact !== "");
}

function firstOf(about: readonly SchemaObject[], keyword: keyof SchemaObject): unknown {
  return about.find((schema) => schema[keyword] !== undefined)?.[keyword];
}

function range(from: unknown, to: unknown, unit: string): string {
  const [low, high] = [limit(from), limit(to)];
  if (low === undefined) return high === undefined ? "" : `<= ${high}${unit}`;
  if (high === undefined) return low === 0 && unit !== "" ? "" : `>= ${low}${unit}`;
  return low === high ? `${low}${unit}` : `${low}..${high}${unit}`;
}

function comparison(sign: string, value: unknown): string {
  const number = limit(value);
  return number === undefined ? "" : `${sign} ${number}`;
}

/** A limit that says something: the bounds of a safe integer, which zod writes for every integer, do not. */
function limit(value: unknown): number | undefined {
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}

/** The name of a text's format, where it has one. */
export function formatOf(about: readonly SchemaObject[]): string | undefined {
  const format = firstOf(about, "format");
  return typeof format === "string" && /^[a-z][a-z0-9-]{0,30}$/i.test(format) ? format : undefined;
}

/** What follows such words, up to where it ends; an example tells more than the name of a form. */
const spokenExamples = [
  "e\\.g\\.?|for example|for instance|examples?(?= *:)|such as",
  "format(?= *:)|in(?= (?:ISO|YYYY|\\d))",
].map(
  (words) =>
    new RegExp(
      `\\b(?:${words})[ :,]*["'\`(]?((?!the |a |an )[\\w/#@~<*+-][^"'\`);\\n]{2,39}?)(?=["'\`);\\n]|, | or |\\. |\\.?$)`,
      "i",
    ),
);

/** What a text may look like, where its schema or description shows one that is short. */
export function exampleOf(about: readonly SchemaObject[]): string | undefined {
  const given = firstOf(about, "examples");
  const [first] = Array.isArray(given) ? given : [];
  if (typeof first === "string" && first !== "" && first.length <= 40) return plainLine(first, 40);
  const description = String(firstOf(about, "description") ?? "").slice(0, 1_000);
  const spoken = spokenExamples.map((example) => example.exec(description)?.[1]).find((found) => found !== undefined);
  // A word says no more than a name does; a form has digits or signs in it.
  return spoken !== undefined && /[\d/@<#*=_-]|:\w/.test(spoken) ? plainLine(spoken, 40) : undefined;
}

/** The default, where it is short. */
export function defaultOf(about: readonly SchemaObject[]): Default | readonly Default[] | undefined {
  const value = firstOf(about, "default");
  const isDefault = isShort(value) || (Array.isArray(value) && value.length <= 8 && value.every(isShort));
  return isDefault && JSON.stringify(value).length <= 60 ? value : undefined;
}

type Default = string | number | boolean;

function isShort(value: unknown): value is Default {
  return typeof value === "string" ? value.length <= 60 : typeof value === "number" || typeof value === "boolean";
}
