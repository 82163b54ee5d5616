import { isPlain } from "./plain.ts";

type Print = (stream: "stdout" | "stderr", text: string) => void;
type Log = (...values: unknown[]) => void;

interface DenoInternals {
  readonly internal: symbol;
  inspect(value: unknown, options: object): string;
  readonly [internals: symbol]: { readonly Console: new (print: (text: string, level: number) => void) => Console };
}

/**
 * The guest's console, printing into frames. Plain data is printed as JSON: a model reads it with the fewest tokens,
 * and nothing is folded away as [Object].
 */
export function createConsole(print: Print, deno: DenoInternals): Console {
  const { Console } = deno[deno.internal] as { Console: new (print: (text: string, level: number) => void) => Console };
  const warning = 2;
  const console = new Console((text, level) => print(level >= warning ? "stderr" : "stdout", text));
  const show = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    if (isPlain(value)) return JSON.stringify(value);
    return deno.inspect(value, { depth: 8, iterableLimit: 1000, strAbbreviateSize: 10_000, colors: false });
  };
  const overridden = console as unknown as Record<string, Log>;
  for (const level of ["log", "info", "debug", "warn", "error"]) {
    const original = overridden[level]?.bind(console) as Log;
    overridden[level] = (...values) => {
      const isFormat = typeof values[0] === "string" && values[0].includes("%");
      original(...(isFormat ? values : values.map(show)));
    };
  }
  return console;
}
