/** Python's own compiler takes no deeper nesting. */
const deepest = 200;
const constants: Readonly<Record<string, string>> = { None: "null", True: "true", False: "false" };
const closings: Readonly<Record<string, string>> = { "[": "]", "{": "}", "(": ")" };
const space = /[ \t\n\r\f]*/y;
const atom = /None|True|False|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A control character is always escaped where `repr` writes it. */
const special = /['"\\]|[^ -\uffff]/g;
const escapes = /\\(?:([\\'"abfnrtv])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{1,3}))/y;
const letters: Readonly<Record<string, string>> = { a: "\x07", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

/**
 * The JSON of a text that is wholly a Python list or dict, as `repr` writes it: of None, True, False, numbers, strings, lists,
 * tuples and dicts. Undefined for any other text. Linear in its length. sandbox/guest/python/literal.py does the same.
 */
export function jsonOfPythonLiteral(text: string): string | undefined {
  return /^[ \t\n\r\f]*[[{]/.test(text) && /[\]}][ \t\n\r\f]*$/.test(text.slice(-9))
    ? createReader(text).read()
    : undefined;
}

/** A list, tuple or dict that has been opened. */
interface Open {
  readonly closing: string;
  members: number;
}

function createReader(text: string) {
  const json: string[] = [];
  const opened: Open[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const next = (): string => {
    match(space);
    return text[at] ?? "";
  };
  const open = (bracket: string): boolean => {
    at++;
    json.push(bracket === "{" ? "{" : "[");
    return opened.push({ closing: closings[bracket] as string, members: 0 }) <= deepest;
  };
  /** A string, number or constant; keys are strings in JSON. */
  const readAtom = (isKey: boolean): boolean => {
    const char = text[at];
    if (char === "'" || char === '"') {
      const end = readString(text, at, json);
      at = end ?? at;
      return end !== undefined;
    }
    const [found = ""] = match(atom) ?? [];
    const written = constants[found] ?? found;
    json.push(isKey ? `"${written}"` : written);
    return found !== "";
  };
  /** What comes first in a member; then it is a value that is open, or one that is over. */
  const readMember = (within: Open): boolean => {
    if (within.members++ > 0) json.push(",");
    if (within.closing === "}") {
      if (!readAtom(true) || next() !== ":") return false;
      at++;
      json.push(":");
    }
    const char = next();
    return closings[char] ? open(char) : readAtom(false) && afterValue();
  };
  /** Takes the closing brackets and the comma behind a value. */
  const afterValue = (): boolean => {
    for (let within = opened.at(-1); within; within = opened.at(-1)) {
      const char = next();
      if (char === ",") return ++at > 0;
      // Without a comma, one value in parentheses is that value.
      if (char !== within.closing || (char === ")" && within.members === 1)) return false;
      close();
    }
    return true;
  };
  const close = (): void => {
    at++;
    json.push(opened.pop()?.closing === "}" ? "}" : "]");
  };
  return {
    read(): string | undefined {
      open(next());
      for (let within = opened.at(-1); within; within = opened.at(-1)) {
        if (next() === within.closing) {
          close();
          if (!afterValue()) return undefined;
        } else if (!readMember(within)) return undefined;
      }
      return next() === "" ? json.join("") : undefined;
    },
  };
}

/** Writes the string that starts there as JSON; gives the place behind it. */
function readString(text: string, start: number, json: string[]): number | undefined {
  const quote = text[start];
  json.push('"');
  for (let at = start + 1; ; ) {
    special.lastIndex = at;
    const found = special.exec(text);
    if (!found) return undefined;
    json.push(text.slice(at, found.index));
    at = found.index + 1;
    const [char] = found;
    if (char === quote) {
      json.push('"');
      return at;
    }
    if (char === "'" || char === '"') {
      json.push(char === '"' ? '\\"' : char);
      continue;
    }
    escapes.lastIndex = found.index;
    const escaped = escapes.exec(text);
    const character = escaped ? characterOf(escaped) : undefined;
    if (character === undefined) return undefined;
    json.push(JSON.stringify(character).slice(1, -1));
    at = escapes.lastIndex;
  }
}

function characterOf([, letter, ...codes]: RegExpExecArray): string | undefined {
  if (letter !== undefined) return letters[letter] ?? letter;
  const [two, four, eight, octal = ""] = codes;
  const code = octal ? Number.parseInt(octal, 8) : Number.parseInt(two ?? four ?? eight ?? "", 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
