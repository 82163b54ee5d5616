import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef } from "citty";
import { CoordinatorError } from "../errors.ts";
import { nearest } from "../system/nearest.ts";
import { unbuilt } from "./unbuilt.ts";

/** What every command takes. */
export const commonArguments = {
  json: { type: "boolean", description: "Print data for programs" },
  config: { type: "string", valueHint: "path", description: "The configuration file; the usual places without it" },
} as const satisfies ArgsDef;

/** The words of a command line, told apart by what the command defines. */
export function readTokens(words: readonly string[], definitions: ArgsDef) {
  const options: Record<string, { type: "boolean" | "string"; short?: string }> = {
    help: { type: "boolean", short: "h" },
    version: { type: "boolean", short: "v" },
  };
  for (const [name, { type }] of Object.entries(definitions)) {
    if (type === "positional") continue;
    options[name] = { type: type === "boolean" ? "boolean" : "string" };
    if (type === "boolean") options[`no-${name}`] = { type: "boolean" };
  }
  return parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** Throws input_invalid for what citty would let pass: unknown options, options without their value, surplus words. */
export function checkArguments(words: readonly string[], definitions: ArgsDef): void {
  const tokens = readTokens(words, definitions);
  for (const token of tokens) if (token.kind === "option") checkOption(token, definitions);
  const given = tokens.filter((token) => token.kind === "positional");
  const wanted = Object.entries(definitions).filter(([, { type }]) => type === "positional");
  const missing = wanted.slice(given.length).find(([, { required }]) => required !== false);
  if (missing) throw misused(`${missing[0].toUpperCase()} is missing`);
  const surplus = given[wanted.length];
  // A name that ends in "…" takes all that is left.
  if (surplus && !wanted.at(-1)?.[0].endsWith("…")) {
    throw misused(
      `${JSON.stringify(surplus.value)} is one word too many`,
      "Put quotes around a value that has spaces.",
    );
  }
}

export type OptionToken = Extract<ReturnType<typeof readTokens>[number], { kind: "option" }>;

/** What an option is defined as; `--no-x` is the boolean x. */
export function definitionOf(token: OptionToken, definitions: ArgsDef): ArgDef | undefined {
  const find = (name: string) => (Object.hasOwn(definitions, name) ? definitions[name] : undefined);
  const found = find(token.name);
  if (found) return found.type === "positional" ? undefined : found;
  const negated = find(token.name.replace(/^no-/, ""));
  return negated?.type === "boolean" ? negated : undefined;
}

function checkOption(token: OptionToken, definitions: ArgsDef): void {
  const definition = definitionOf(token, definitions);
  if (token.name === "help" || (token.name === "version" && !definition)) return;
  if (!definition) throw unknownOption(token, definitions);
  if (definition.type === "boolean") return;
  const { rawName, value, inlineValue } = token;
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    throw misused(`${rawName} needs a value`, value && `Write ${rawName}=${value} if that is the value.`);
  }
  if (definition.type !== "enum" || definition.options?.includes(value)) return;
  const options = definition.options ?? [];
  throw misused(`${rawName} cannot be ${JSON.stringify(value)}`, suggestion(value, options));
}

export function unknownOption(token: OptionToken, definitions: ArgsDef): CoordinatorError {
  if (unbuilt.options.has(token.name)) return misused(`${token.rawName} is not in this version`, helpHint);
  const known = Object.entries(definitions).flatMap(([name, { type }]) => (type === "positional" ? [] : `--${name}`));
  return misused(`Unknown option ${token.rawName}`, suggestion(token.rawName, [...known, "--help"]));
}

export const helpHint = "--help shows what there is.";

export function suggestion(word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  return close === undefined ? `There are: ${known.join(", ")}.` : `Did you mean ${close}?`;
}

export function misused(message: string, hint?: string): CoordinatorError {
  return new CoordinatorError("input_invalid", message, { hint });
}

/** The number that an option gives; undefined when it is not given. */
export function readNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || Number.isNaN(number))
    throw misused(`${option} cannot be ${JSON.stringify(text)}`, "Give a number.");
  return number;
}

/** The items of `a,b`; undefined when the option is not given. */
export function readList(text: string | undefined): string[] | undefined {
  return text?.split(",").flatMap((item) => item.trim() || []);
}
