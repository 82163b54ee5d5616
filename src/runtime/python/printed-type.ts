/** Types as pyright prints them: `str | None`, `list[Literal['a']]`, `(x: int) -> str`. */

/** The members of a union, each literal as one; of any other type the type itself. */
function unionMembers(type: string): string[] {
  return splitOutside(type, " | ").flatMap((member) =>
    headOf(member) === "Literal" ? partsOf(member).map((value) => `Literal[${value}]`) : [member],
  );
}

export function isUnion(type: string): boolean {
  return unionMembers(type).length > 1;
}

/** The name before the brackets. */
export function headOf(type: string): string {
  return /^[^[]*/.exec(type)?.[0] ?? type;
}

/** What stands in the brackets, one by one. */
export function partsOf(type: string): string[] {
  const [, inner] = /^[^[]*\[(.*)\]$/s.exec(type) ?? [];
  return inner === undefined ? [] : splitOutside(inner, ", ");
}

/** Splits where no bracket and no quote is open. */
function splitOutside(text: string, separator: string): string[] {
  const found: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const mark = text.charAt(at);
    if (quote !== "") {
      if (mark === "\\") at++;
      else if (mark === quote) quote = "";
    } else if (mark === "'" || mark === '"') quote = mark;
    else if ("[({".includes(mark)) depth++;
    else if ("])}".includes(mark)) depth--;
    else if (depth === 0 && text.startsWith(separator, at)) {
      found.push(text.slice(start, at));
      start = at + separator.length;
    }
  }
  return [...found, text.slice(start)];
}

type Kind = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object" | "no JSON" | "unknown";

const kinds: ReadonlyMap<string, Kind> = new Map(
  Object.entries({
    str: "string",
    LiteralString: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    None: "null",
    list: "array",
    _List: "array",
    tuple: "array",
    dict: "object",
    Mapping: "object",
    defaultdict: "object",
    Counter: "object",
    OrderedDict: "object",
  } as const),
);

/** What `json` cannot write, so that a tool call fails before it is sent. */
const noJson = new Set([
  ...["set", "frozenset", "bytes", "bytearray", "range", "map", "filter", "zip", "reversed", "enumerate", "Generator"],
  ...["dict_keys", "dict_values", "dict_items", "CoroutineType", "Task", "Future"],
  ...["Path", "PosixPath", "datetime", "date", "time", "timedelta", "Decimal", "Fraction", "UUID"],
]);

function kindOf(type: string): Kind {
  const head = headOf(type);
  if (head === "Literal") return literalKind(type);
  if (noJson.has(head)) return "no JSON";
  return kinds.get(head) ?? "unknown";
}

function literalKind(type: string): Kind {
  const [first = ""] = partsOf(type);
  if (/^["']/.test(first)) return "string";
  if (/^-?\d/.test(first)) return "integer";
  if (/^(True|False)$/.test(first)) return "boolean";
  return "unknown";
}

/** The type of which a literal is one value. */
export function widened(type: string): string {
  const kind = headOf(type) === "Literal" ? literalKind(type) : "unknown";
  return [...kinds].find(([, known]) => known === kind)?.[0] ?? type;
}

/** Whether a value of the type found can never do as an argument of the type expected; what may do is left to the run. */
export function isCertainlyWrong(found: string, expected: string): boolean {
  return unionMembers(found).every((one) => unionMembers(expected).every((other) => isApart(one, other)));
}

function isApart(found: string, expected: string): boolean {
  const [kind, wanted] = [kindOf(found), kindOf(expected)];
  if (kind === "unknown" || kind === "null" || /^(Any|object|Unknown)$|@/.test(expected)) return false;
  if (kind === "no JSON") return true;
  // In our stubs a class of another name is a dictionary.
  if (wanted === "unknown") return kind !== "object";
  if (kind === "integer" && wanted === "number") return false;
  if (kind === "number" && wanted === "integer") return false;
  if (kind !== wanted) return true;
  if (kind === "array") return isApartInside(found, expected);
  if (headOf(expected) !== "Literal" || headOf(found) !== "Literal") return false;
  return found !== expected;
}

function isApartInside(found: string, expected: string): boolean {
  const [element] = partsOf(found);
  const [wanted] = partsOf(expected);
  if (element === undefined || wanted === undefined || headOf(found) === "tuple") return false;
  return isCertainlyWrong(element, wanted);
}

/** The texts that a type of literals allows. */
export function literalTexts(type: string): string[] {
  return unionMembers(type)
    .filter((member) => headOf(member) === "Literal")
    .flatMap(partsOf)
    .flatMap((part) => /^(["'])(.*)\1$/s.exec(part)?.[2] ?? []);
}
