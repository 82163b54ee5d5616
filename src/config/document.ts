import { createScanner, getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { CoordinatorError } from "../errors.ts";
import { printable } from "../system/printable.ts";
import { excerpt } from "./excerpt.ts";

export type Path = readonly (string | number)[];

/** One thing that is wrong with a configuration. `text` follows the path and never holds a value of env or headers. */
export interface ConfigProblem {
  readonly path: Path;
  readonly text: string;
  /** Where it is, when the path alone would lead elsewhere (a key that is written twice). */
  readonly offset?: number;
}

/** A parsed file: its value (objects without a prototype) and where each part of it stands. */
export interface Document {
  readonly value: unknown;
  /** Keys that are written twice or that no object can safely carry. */
  readonly problems: readonly ConfigProblem[];
  /** The keys of the object at `path`, in the order of the file. */
  keys(path: Path): readonly string[];
  /** Where a path, or its nearest ancestor that is there, begins. */
  offset(path: Path): number;
  /** The line of an offset, from 1. */
  line(offset: number): number;
}

const DEEPEST = 100;

const expected: Readonly<Record<ReturnType<typeof printParseErrorCode>, string>> = {
  InvalidSymbol: "expected a value: text needs double quotes",
  InvalidNumberFormat: "expected a number",
  PropertyNameExpected: "expected a key in double quotes",
  ValueExpected: "expected a value",
  ColonExpected: "expected a colon after the key",
  CommaExpected: "expected a comma, or a closing bracket, before this",
  CloseBraceExpected: "expected a closing brace }",
  CloseBracketExpected: "expected a closing bracket ]",
  EndOfFileExpected: "expected nothing more: the outer object is closed already",
  InvalidCommentToken: "expected no comment here",
  UnexpectedEndOfComment: "expected */ at the end of the comment",
  UnexpectedEndOfString: "expected a closing double quote",
  UnexpectedEndOfNumber: "expected a digit",
  InvalidUnicode: "expected four hexadecimal digits after \\u",
  InvalidEscapeCharacter: "expected a known escape after the backslash (a backslash itself is written \\\\)",
  InvalidCharacter: "expected an escape such as \\n or \\t instead of a control character",
  "<unknown ParseErrorCode>": "expected JSON",
};

/** Reads JSON with comments and trailing commas; throws at the first place that is not that. */
export function readDocument(text: string, file: string): Document {
  refuseDepth(text, file);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error !== undefined) throw syntaxError(text, file, error.offset, expected[printParseErrorCode(error.error)]);
  if (root === undefined) throw syntaxError(text, file, text.length, expected.ValueExpected);
  const child = createChildLookup();
  return {
    value: getNodeValue(root),
    problems: keyProblems(root, []),
    keys: (path) => members(path.reduce<Node | undefined>(child, root)).map(({ key }) => key.value),
    offset(path) {
      let found = root;
      for (const segment of path) {
        const next = child(found, segment);
        if (next === undefined) break;
        found = next;
      }
      return (found.parent?.type === "property" ? found.parent : found).offset;
    },
    line: (offset) => lineOf(text, offset),
  };
}

/** The parser and all that walks its tree recurse: a file of a million brackets must not exhaust the stack. */
function refuseDepth(text: string, file: string): void {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (;;) {
    scanner.scan();
    const offset = scanner.getTokenOffset();
    if (offset >= text.length) return;
    const opening = text[offset];
    if (opening === "{" || opening === "[") depth++;
    if (opening === "}" || opening === "]") depth--;
    if (depth > DEEPEST) throw syntaxError(text, file, offset, `expected at most ${DEEPEST} levels of nesting`);
  }
}

function syntaxError(text: string, file: string, offset: number, what: string): CoordinatorError {
  const line = lineOf(text, offset);
  const column = offset - text.lastIndexOf("\n", offset - 1);
  const source = excerpt(text.split("\n")[line - 1] ?? "");
  return new CoordinatorError(
    "config_invalid",
    `Cannot read ${printable(file)}: line ${line}, column ${column}: ${what}\n  ${line} | ${source}`,
    { hint: "Correct that line. The file is JSON; comments and trailing commas are allowed." },
  );
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

interface Member {
  readonly key: Node;
  readonly value: Node;
}

function members(node: Node | undefined): readonly Member[] {
  if (node?.type !== "object") return [];
  return (node.children ?? []).flatMap(({ children: [key, value] = [] }) => (key && value ? [{ key, value }] : []));
}

/** Finds members by name. Of a key that is written twice the last one counts, as in the value. */
function createChildLookup() {
  const known = new Map<Node, ReadonlyMap<string, Node>>();
  return (node: Node | undefined, segment: string | number): Node | undefined => {
    if (node === undefined) return undefined;
    if (typeof segment === "number") return node.type === "array" ? node.children?.[segment] : undefined;
    const byName = known.get(node) ?? new Map(members(node).map(({ key, value }) => [key.value, value]));
    known.set(node, byName);
    return byName.get(segment);
  };
}

function keyProblems(node: Node, path: Path): readonly ConfigProblem[] {
  if (node.type === "array") return (node.children ?? []).flatMap((item, index) => keyProblems(item, [...path, index]));
  const seen = new Set<string>();
  return members(node).flatMap(({ key, value }) => {
    const here = [...path, key.value];
    const inside = keyProblems(value, here);
    if (key.value === "__proto__")
      return [{ path: here, text: "this name cannot be used", offset: key.offset }, ...inside];
    if (seen.has(key.value)) return [{ path: here, text: "is written twice; keep one", offset: key.offset }, ...inside];
    seen.add(key.value);
    return inside;
  });
}
