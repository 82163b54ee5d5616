import * as z from "zod";
import { isFields } from "../system/fields.ts";
import { nearest } from "../system/nearest.ts";
import { quoted } from "../system/printable.ts";
import type { ConfigProblem, Path } from "./document.ts";

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

const kinds: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
]);

/** Keys of other clients that change what a server does: to ignore them would mislead. */
const foreignServerKeys: ReadonlyMap<string, string> = new Map([
  ["envFile", "not supported; write its variables into env"],
  ["enabled", 'not supported; write "disabled": true to leave the server out'],
]);

/** What `schema` found wrong with `value`, in plain words; of the values only numbers and wrong choices are repeated. */
export function schemaProblems(schema: z.ZodType, value: unknown, issues: readonly Issue[]): readonly ConfigProblem[] {
  return issues.flatMap((issue) => {
    const path = issue.path as Path;
    const found = at(value, path);
    if (issue.code === "invalid_union") return unionProblems(schema, value, path, issue);
    if (issue.code !== "unrecognized_keys") return [{ path, text: issueText(issue, found) }];
    return issue.keys.map((key) => ({
      path: [...path, key],
      text: unknownKeyText(key, at(found, [key]), path, knownKeys(schema, path)),
    }));
  });
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown> | undefined)?.[key], value);
}

function issueText(issue: Issue, found: unknown): string {
  switch (issue.code) {
    case "invalid_type":
      return `expected ${kindText(issue.expected)}, found ${foundText(found, issue.expected)}`;
    case "invalid_value":
      return choiceText(issue.values.map(String), found);
    case "too_small":
      return issue.origin === "number" ? `expected at least ${issue.minimum}, found ${found}` : "must not be empty";
    case "too_big":
      return `expected at most ${issue.maximum}, found ${found}`;
    case "invalid_key":
      return issue.issues[0]?.message ?? issue.message;
    default:
      return issue.message;
  }
}

/** Of the alternatives of a union, the one that was meant is the one whose outermost kind fits. */
function unionProblems(
  schema: z.ZodType,
  value: unknown,
  path: Path,
  { errors }: z.core.$ZodIssueInvalidUnion,
): readonly ConfigProblem[] {
  const meant = errors.find((issues) => issues.every((issue) => issue.path.length > 0));
  if (meant !== undefined) {
    return schemaProblems(
      schema,
      value,
      meant.map((issue) => ({ ...issue, path: [...path, ...issue.path] })),
    );
  }
  const expected = errors.flat().flatMap((issue) => (issue.code === "invalid_type" ? [kindText(issue.expected)] : []));
  return [{ path, text: `expected ${expected.join(" or ")}, found ${foundText(at(value, path))}` }];
}

function kindText(kind: string): string {
  return kinds.get(kind) ?? kind;
}

function foundText(found: unknown, expected?: string): string {
  if (found === undefined) return "nothing";
  if (found === null || typeof found === "boolean") return String(found);
  if (typeof found === "number" && expected === "int") return String(found);
  return kindText(Array.isArray(found) ? "array" : typeof found);
}

function choiceText(choices: readonly string[], found: unknown): string {
  const shown = typeof found === "string" ? `${quoted(found)}${suggestion(found, choices)}` : foundText(found);
  return `expected one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}; found ${shown}`;
}

function unknownKeyText(key: string, value: unknown, path: Path, known: readonly string[]): string {
  const isServer = path.length === 2 && (path[0] === "mcpServers" || path[0] === "servers");
  const foreign = isServer ? foreignServerKeys.get(key) : undefined;
  if (foreign !== undefined) return foreign;
  const looksLikeServer = isFields(value) && ("command" in value || "url" in value);
  if (path.length === 0 && looksLikeServer) return "unknown key; a server belongs inside mcpServers";
  return `unknown key${suggestion(key, known)}`;
}

function suggestion(word: string, candidates: readonly string[]): string {
  const near = nearest(word, candidates);
  return near === undefined ? "" : `; did you mean ${JSON.stringify(near)}?`;
}

/** The keys that `schema` knows for the object at `path`. */
function knownKeys(schema: Schema, path: Path): readonly string[] {
  const found = path.reduce<Schema | undefined>(memberSchema, schema);
  const object = found && unwrapped(found);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function memberSchema(schema: Schema | undefined, key: string | number): Schema | undefined {
  const bare = schema && unwrapped(schema);
  if (bare instanceof z.ZodObject) return bare.shape[key];
  if (bare instanceof z.ZodRecord) return bare.valueType;
  if (bare instanceof z.ZodArray) return bare.element;
  return undefined;
}

function unwrapped(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.unwrap());
  }
  if (schema instanceof z.ZodUnion) return schema.options.find((option) => option instanceof z.ZodObject) ?? schema;
  return schema;
}
