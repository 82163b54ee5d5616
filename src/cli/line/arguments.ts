import { parseArgs } from "node:util";
import { CoordinatorError } from "../../errors.ts";
import { nearest } from "../../system/nearest.ts";

/** What a command takes: an option with or without a value, or a word by its place. */
export interface Argument {
  /** A list is written as `a,b`; what is `many` may be given several times. A positional whose name ends in "…" takes all words that are left. */
  readonly type: "boolean" | "string" | "number" | "list" | "many" | "choice" | "positional";
  readonly description: string;
  readonly required?: true;
  readonly default?: string | true;
  /** What help shows for the value. */
  readonly valueHint?: string;
  readonly choices?: readonly string[];
  /** What help says of `--no-x`. */
  readonly negativeDescription?: string;
}

export type Arguments = Readonly<Record<string, Argument>>;

interface ValueOfType {
  boolean: boolean;
  string: string;
  number: number;
  list: string[];
  many: string[];
  choice: string;
  positional: string;
}

type Value<Of extends Argument> = Of extends { choices: readonly (infer Choice)[] } ? Choice : ValueOfType[Of["type"]];

/** What was given for each argument, in `_` all words that are not options, and in `behind` those behind "--", whatever they are. */
export type Values<Args extends Arguments> = {
  readonly [Name in keyof Args]: Args[Name] extends { required: true } | { default: string | true }
    ? Value<Args[Name]>
    : Value<Args[Name]> | undefined;
} & { readonly _: readonly string[]; readonly behind: readonly string[] };

/** What every command takes. */
export const commonArguments = {
  json: { type: "boolean", description: "Print data for programs" },
  config: { type: "string", valueHint: "path", description: "The configuration file; by default in the usual places" },
} as const satisfies Arguments;

/** The words of a command line, told apart by what the command defines. */
export function readTokens(words: readonly string[], definitions: Arguments) {
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

export type OptionToken = Extract<ReturnType<typeof readTokens>[number], { kind: "option" }>;

/** Throws input_invalid for unknown options, for those without their value, and for words that are missing or too many. */
export function readArguments<Args extends Arguments>(words: readonly string[], definitions: Args): Values<Args> {
  const values: Record<string, unknown> = {};
  for (const [name, argument] of Object.entries(definitions)) values[name] = argument.default;
  const tokens = readTokens(words, definitions);
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const name = nameOf(token, definitions);
    const value = readOption(token, definitions);
    const before = values[name];
    values[name] = definitions[name]?.type === "many" ? [...(Array.isArray(before) ? before : []), value] : value;
  }
  const given = tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : []));
  const places = Object.keys(definitions).filter((name) => definitions[name]?.type === "positional");
  for (const [index, name] of places.entries()) values[name] = given[index] ?? values[name];
  for (const [name, { type, required }] of Object.entries(definitions)) {
    if (!required || values[name] !== undefined) continue;
    throw misused(`${type === "positional" ? name.toUpperCase() : `--${name}`} is missing`);
  }
  if (given.length > places.length && !places.at(-1)?.endsWith("…")) {
    throw misused(
      `${JSON.stringify(given[places.length])} is one word too many`,
      "Put quotes around a value that has spaces.",
    );
  }
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? words.length;
  return { ...values, _: given, behind: words.slice(end + 1) } as Values<Args>;
}

/** Throws input_invalid when the option is not defined. */
export function checkOption(token: OptionToken, definitions: Arguments): void {
  const name = nameOf(token, definitions);
  if (Object.hasOwn(definitions, name) && definitions[name]?.type !== "positional") return;
  const known = Object.keys(definitions).filter((option) => definitions[option]?.type !== "positional");
  const options = [...known, "help"].map((option) => `--${option}`);
  throw misused(`Unknown option ${token.rawName}`, suggestion(token.rawName, options));
}

/** `--no-x` is the boolean x. */
function nameOf({ name }: OptionToken, definitions: Arguments): string {
  const negated = name.replace(/^no-/, "");
  return Object.hasOwn(definitions, negated) && definitions[negated]?.type === "boolean" ? negated : name;
}

function readOption(token: OptionToken, definitions: Arguments): unknown {
  checkOption(token, definitions);
  const { type, choices = [] } = definitions[nameOf(token, definitions)] ?? {};
  const { rawName, value, inlineValue } = token;
  if (type === "boolean") return token.name.startsWith("no-") ? false : value !== "false";
  if (value === undefined || (!inlineValue && /^-./.test(value))) {
    throw misused(`${rawName} needs a value`, value && `Write ${rawName}=${value} if that is the value.`);
  }
  const refuse = (hint: string) => misused(`${rawName} cannot be ${JSON.stringify(value)}`, hint);
  if (type === "choice" && !choices.includes(value)) throw refuse(suggestion(value, choices));
  if (type === "list") return value.split(",").flatMap((item) => item.trim() || []);
  if (type !== "number") return value;
  if (value.trim() === "" || Number.isNaN(Number(value))) throw refuse("Give a number.");
  return Number(value);
}

export function suggestion(word: string, known: readonly string[]): string {
  const close = nearest(word, known);
  return close === undefined ? `Choose one of: ${known.join(", ")}.` : `Did you mean ${close}?`;
}

export function misused(message: string, hint?: string): CoordinatorError {
  return new CoordinatorError("input_invalid", message, { hint });
}
