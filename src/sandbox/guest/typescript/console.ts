import { show } from "./show.ts";

type Print = (stream: "stdout" | "stderr", text: string) => void;
type Log = (...values: unknown[]) => void;

interface DenoInternals {
  readonly internal: symbol;
  readonly [internals: symbol]: { readonly Console: new (print: (text: string, level: number) => void) => Console };
}

/** The guest's console, printing into frames. What is printed of an object is its JSON, as far as JSON can say it (show.ts). */
export function createConsole(print: Print, deno: DenoInternals): Console {
  const { Console } = deno[deno.internal] as { Console: new (print: (text: string, level: number) => void) => Console };
  const warning = 2;
  const console = new Console((text, level) => print(level >= warning ? "stderr" : "stdout", text));
  const shown = (value: unknown): unknown => (typeof value === "object" && value !== null ? show(value) : value);
  const overridden = console as unknown as Record<string, Log>;
  for (const level of ["log", "info", "debug", "warn", "error"]) {
    const original = overridden[level]?.bind(console) as Log;
    overridden[level] = (...values) => {
      const [first] = values;
      if (typeof first === "string" && first.includes("%")) {
        const format = first.replace(/%[%oOj]/g, (place) => (place === "%%" ? place : "%s"));
        original(format, ...values.slice(1).map(shown));
      } else if (typeof first === "object" && first !== null) {
        // What is shown of it is no format.
        original("%s", ...values.map(shown));
      } else original(...values.map(shown));
    };
  }
  return console;
}
