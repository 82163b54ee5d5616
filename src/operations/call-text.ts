import { keywordsOf } from "../codegen/python/parameter-names.ts";
import { quotePython } from "../codegen/python/quote.ts";
import { quote } from "../codegen/quote.ts";
import type { Language } from "../sandbox/engine.ts";

/** A call as a guest writes it: arguments by position, and the others by name. */
export function callText(
  name: string,
  args: Readonly<Record<string, unknown>>,
  { language, positional }: { readonly language: Language; readonly positional: readonly string[] },
): string {
  const write = writers[language];
  const first = positional.filter((key) => Object.hasOwn(args, key)).map((key) => write(args[key]));
  const named = Object.entries(args).filter(([key]) => !positional.includes(key));
  return `${name}(${[...first, ...others(named, language)].join(", ")})`;
}

function others(named: readonly (readonly [string, unknown])[], language: Language): readonly string[] {
  if (named.length === 0) return [];
  if (language === "typescript") return [typescript(Object.fromEntries(named))];
  const keywords = keywordsOf(named.map(([key]) => key));
  return named.map(([key, value]) => `${keywords.get(key) ?? key}=${python(value)}`);
}

const writers: Readonly<Record<Language, (value: unknown) => string>> = { typescript, python };

function typescript(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (Array.isArray(value)) return `[${value.map(typescript).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([key, each]) => `${/^\w+$/.test(key) ? key : quote(key)}: ${typescript(each)}`,
  );
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}

function python(value: unknown): string {
  if (typeof value === "string") return quotePython(value);
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value ?? "None");
  return `{${Object.entries(value)
    .map(([key, each]) => `${quotePython(key)}: ${python(each)}`)
    .join(", ")}}`;
}
