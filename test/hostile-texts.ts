/**
 * Texts that make a careless pattern slow, each as a function of about how long it shall be: repetitions of what texts consist of,
 * and of parts of the pattern itself, after the pattern's own beginning and before a character that ends the hope of a match.
 */
export function hostileTexts(source: string): ((length: number) => string)[] {
  const parts = partsOf(source);
  const before = (index: number) => parts.slice(0, index).join("");
  const starts = new Set(["", "\u0001", ...parts.slice(0, mostStarts).map((_, index) => before(index + 1))]);
  const own = parts.flatMap((part, index) =>
    [...[1, 2, 3, 4].map((count) => parts.slice(index, index + count).join("")), `${part} `, `${part}\n`].map(
      (pump) => [pump, new Set(["", before(index), before(index + 1)])] as const,
    ),
  );
  const pumps = [...usual.map((pump) => [pump, starts] as const), ...own];
  const texts = pumps.flatMap(([pump, places]) =>
    [...places].flatMap((start) => (start === "" ? ends : ends.slice(0, 2)).map((end) => ({ start, pump, end }))),
  );
  const distinct = new Map(texts.map((text) => [JSON.stringify(text), text]));
  return [...distinct.values()].map(
    ({ start, pump, end }) =>
      (length) =>
        start + pump.repeat(Math.ceil(length / pump.length)) + end,
  );
}

const mostStarts = 8;
const ends = ["\u0001", "", "\n", "/a"];

const usual = [
  ..."aA0 \t\n\r.,:;/\\=#\"'`~-_*$@|<>()[]{}\u001b\u0090\u009b\u009d\u00e9\u3042",
  ...[
    "aA",
    "a ",
    "a\n",
    "\r\n",
    " \n",
    "\t\n",
    "a.",
    "a-",
    "a_",
    "a,",
    "a/",
    "0.",
    '"\\',
    "\\\\",
    "\u001b[",
    "\u001b]",
    "=a",
  ],
];

/** The pattern as the texts that its parts would match, one or two for each: `\s*from [\w.]+` is " ", "from ", "a". */
function partsOf(source: string): string[] {
  const parts: string[] = [];
  let literal = "";
  const flush = () => {
    if (literal !== "") parts.push(literal);
    literal = "";
  };
  for (const [token] of source.matchAll(tokens)) {
    const simple = unescaped(token);
    if (simple !== undefined) literal += simple;
    else {
      flush();
      const sample = token === "." || token.startsWith("[") ? memberOf(token) : classes[token];
      if (sample !== undefined) parts.push(sample);
    }
  }
  flush();
  return parts;
}

const tokens =
  /\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\[pP]\{[^}]*\}|\\k<\w+>|\\[\s\S]|\[(?:[^\]\\]|\\[\s\S])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d+,?\d*\}[?]?|[\s\S]/gi;

const classes: Record<string, string> = {
  "\\s": " ",
  "\\S": "a",
  "\\w": "a",
  "\\W": " ",
  "\\d": "0",
  "\\D": "a",
  "\\p{L}": "é",
};
const named: Record<string, string> = { n: "\n", r: "\r", t: "\t", v: "\v", f: "\f", 0: "\0" };

/** The character that a token of a pattern stands for, if it stands for one. */
function unescaped(token: string): string | undefined {
  if (/^\\[ux]/.test(token)) return String.fromCodePoint(Number.parseInt(token.replace(/[^0-9a-f]/gi, ""), 16));
  if (/^\\[^a-z0-9]/i.test(token)) return token.slice(1);
  if (/^\\[nrtvf0]$/.test(token)) return named[token.slice(1)];
  return token.length === 1 && !".^$|()[]{}*+?".includes(token) ? token : undefined;
}

/** A character that a class allows. */
function memberOf(token: string): string {
  const pattern = new RegExp(token, "u");
  return [...`a0A-_ \t\n"'.,:;/=#\u0090${token}`].find((character) => pattern.test(character)) ?? "a";
}
