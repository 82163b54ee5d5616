// What a client, a guest or a server may put into a field in order to stop the host. Each is a recipe and not a text, so
// that a guest can make it inside its sandbox: the larger ones are longer than code may be.

export interface Recipe {
  readonly name: string;
  readonly before?: string;
  /** Repeated until the whole has the wanted size. */
  readonly unit: string;
  readonly middle?: string;
  /** Repeated as often as the unit. */
  readonly closing?: string;
  readonly end?: string;
  /** The parts are JSON, not the characters of a string; `#` in the unit is the number of the repetition. */
  readonly isJson?: true;
  /** The same whatever size is wanted. */
  readonly isFixed?: true;
}

const text = (name: string, unit: string, more: Partial<Recipe> = {}): Recipe => ({ name, unit, ...more });
const json = (name: string, unit: string, more: Partial<Recipe> = {}): Recipe => ({
  name,
  unit,
  isJson: true,
  ...more,
});
const fixed = (name: string, unit: string): Recipe => ({ name, unit, isJson: true, isFixed: true });

export const recipes: readonly Recipe[] = [
  // Letters and their boundaries: what splits names into words.
  text("camel case", "aA", { end: "_" }),
  text("capitals", "A", { end: "a1" }),
  text("underscores", "_", { before: "a", end: "a" }),
  text("words joined by underscores", "ab_"),
  text("digits", "9"),
  text("letters and digits", "a1"),
  text("one giant word", "x"),
  text("many small words", "ab cd ef gh "),
  text("many different words", "w# ", { isJson: true, before: '"', end: '"' }),
  text("hyphens and dots", "-."),
  // White space and line ends.
  text("blanks", " ", { before: "x", end: "x" }),
  text("blanks only", " "),
  text("tabs", "\t", { end: "x" }),
  text("line feeds", "\n"),
  text("line feeds behind a name", "\n", { before: "x: undefined_name = 1\nprint(undefined_b)\n" }),
  text("lines of Windows", "\r\n", { end: "x" }),
  text("line separators", "\u2028", { end: "x" }),
  text("no-break blanks", "\u00a0\u3000", { end: "x" }),
  text("blank lines and tabs", "\n \t", { end: "x" }),
  // Control characters and terminals.
  text("C1 string starts", "\u009d"),
  text("all C1 starts", "\u0090\u0098\u009d\u009e\u009f"),
  text("unfinished escapes", "\u001b["),
  text("unfinished titles", "\u001b]0;"),
  text("colours without an end", "\u001b[38;5"),
  text("NUL", "\u0000"),
  text("control characters", "\u0001"),
  text("bidi marks", "\u202e\u2066"),
  text("tag characters", "\u{e0041}"),
  // Unicode.
  text("high surrogates", "\ud800"),
  text("low surrogates", "\udfff"),
  text("combining marks", "\u0301", { before: "a" }),
  text("emoji families", "\u{1f468}\u200d"),
  text("ligatures that grow", "\ufdfa"),
  text("dotted capital I", "\u0130"),
  // Marks that something is written in.
  text("equals signs", "=", { end: "x" }),
  text("base64 of equals signs", "=", { before: "QUJD", end: "A" }),
  text("base64", "QUJD", { end: "x=" }),
  text("number signs", "#", { before: "print(undefined_b) ", end: "\n" }),
  text("backticks", "`"),
  text("a fence and blanks", " ", { before: "```\n", end: "x" }),
  text("fences", "```\n", { end: "x" }),
  text("double quotes", '"'),
  text("single quotes", "'", { before: "x = " }),
  text("backslashes", "\\"),
  text("percent signs", "%", { end: "zz" }),
  text("stars", "*", { end: "!" }),
  text("stars between letters", "*a", { end: "!" }),
  text("globs", "**/?", { end: "b" }),
  text("braces of globs", "{a,", { closing: "}" }),
  text("angle brackets", "<a"),
  text("doc comments", "/** "),
  text("comment ends", "*/ "),
  text("dollars and braces", "${"),
  text("ampersands", "&a;"),
  // Nesting.
  text("open parentheses", "("),
  text("nested brackets", "[", { middle: "1", closing: "]" }),
  text("nested calls", "f(", { middle: "1", closing: ")" }),
  text("nested JSON in a text", '{"a":', { middle: "1", closing: "}" }),
  text("list of empty lists in a text", "[],", { before: "[", end: "[]]" }),
  text("union types", "|'a'", { before: "type A = 'b'", end: "\nlet x: A = 'c'" }),
  text("additions", "1+", { end: "1" }),
  text("indentation", " ", { before: "if 1:\n", end: "pass\nundefined_b" }),
  text("declarations", "def f(x):\n", { end: "\n" }),
  text("exports", "export function f(){}\n"),
  text("imports", "from a import b\n"),
  // Patterns.
  text("a pattern of stars", "(.*)*", { before: "/", end: "\\x01/" }),
  text("a pattern of nested pluses", "(a+)+", { before: "^", end: "$" }),
  text("a pattern that repeats", "a{1,99}", { before: "/", end: "!/" }),
  text("alternatives", "a|", { before: "/(", end: "b)+$/" }),
  // Paths and addresses.
  text("steps upward", "../"),
  text("slashes", "/"),
  text("backslash steps", "..\\"),
  text("a long folder", "a/", { end: "x" }),
  text("a long address", "a.", { before: "http://127.0.0.1:9/", end: "?x=1#y" }),
  text("a long host", "a.", { before: "http://", end: "invalid/" }),
  text("an address of artifacts", "a/", { before: "artifact://", end: "x" }),
  text("an address with percent signs", "%41", { before: "artifact://x/" }),
  text("an email address", "a.", { end: "@a.invalid" }),
  text("a user before the host", "a:", { before: "http://", end: "@127.0.0.1:9/" }),
  // Versions, dates, tables.
  text("a requirement", "a", { end: "==1,!=" }),
  text("a requirement of versions", "==1.0,", { before: "a", end: ">" }),
  text("a version", "1.", { end: "x" }),
  text("extras", "[a,", { before: "a", end: "]" }),
  text("a date with a long fraction", "1", { before: "2026-01-01T00:00:00.", end: "Z" }),
  text("a schedule", "*/1,", { end: " * * * *" }),
  text("columns of a table", "c#,", { isJson: true, before: '"', end: 'z\\n1"' }),
  text("empty columns of a table", ","),
  text("quotes of a table", '"",', { end: '"' }),
  text("rows of a table", "1,2\n", { before: "a,b\n" }),
  text("numbers of a table", "1e400,"),
  text("environment variables", "{A}$", { before: "$", end: "x" }),
  text("assignments", "a=b,", { end: "=" }),
  // Values that are not texts.
  json("nested lists", "[", { closing: "]" }),
  json("nested objects", '{"a":', { middle: "1", closing: "}" }),
  json("a nested schema", '{"type":"object","properties":{"a":', { middle: "{}", closing: "}}" }),
  json("nested unions", '{"anyOf":[', { middle: "{}", closing: "]}" }),
  json("many keys", '"k#":#,', { before: "{", end: '"z":0}' }),
  json("many keys with underscores", '"a_A_#":"",', { before: "{", end: '"z":0}' }),
  json("a long list of numbers", "0,", { before: "[", end: "0]" }),
  json("a long list of names", '"a#",', { before: "[", end: '"z"]' }),
  json("a long list of the same name", '"aAaA",', { before: "[", end: '"z"]' }),
  json("a long list of lists", "[],", { before: "[", end: "[]]" }),
  json("a number of many digits", "9", { before: "1" }),
  fixed("a number beyond all", "1e400"),
  fixed("minus zero", "-0"),
  fixed("2 to the power of 53, and 1", "9007199254740993"),
  fixed("a tiny number", "5e-324"),
  fixed("a negative number", "-1"),
  fixed("a fraction", "0.1"),
  fixed("the text NaN", '"NaN"'),
  fixed("null", "null"),
  fixed("true", "true"),
  fixed("an empty text", '""'),
  fixed("an empty object", "{}"),
  fixed("an empty list", "[]"),
  fixed("names of prototypes", '{"__proto__":{"a":1},"constructor":{"prototype":{"a":1}},"toString":null,"then":1}'),
  fixed("a schema that refers to itself", '{"$ref":"#","type":"object"}'),
  fixed("the name of a prototype", '"__proto__"'),
];

/** The JSON text that a recipe makes, of about that many bytes. Stands alone: guests get its source. */
export function expand(recipe: Recipe, size: number): string {
  const { before = "", unit, middle = "", closing = "", end = "", isJson = false, isFixed = false } = recipe;
  if (isFixed) return unit;
  const written = (part: string) => (isJson ? part : JSON.stringify(part).slice(1, -1));
  const each =
    new TextEncoder().encode(written(unit) + written(closing)).length + (unit.includes("#") && isJson ? 4 : 0);
  const times = Math.max(1, Math.floor(size / each));
  const isNumbered = isJson && unit.includes("#");
  const units = isNumbered
    ? Array.from({ length: times }, (_, index) => unit.replaceAll("#", String(index))).join("")
    : written(unit).repeat(times);
  const whole = written(before) + units + written(middle) + written(closing).repeat(times) + written(end);
  return isJson ? whole : `"${whole}"`;
}

/** The same numbers for the same seed, from 0 up to, not including, 1. */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
