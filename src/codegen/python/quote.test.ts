import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { docstring } from "./docstring.ts";
import { quotePython } from "./quote.ts";

const texts = [
  "",
  "plain",
  "\"double\" 'single' \\ back",
  '"""',
  '""""""""',
  'ends in "',
  "ends in \\",
  "\\N{BULLET} \\x41 {0} %s",
  "line\nline\r\ttab",
  "\u0000\u0007\u001b[31m\u007f\u0085",
  "\u2028\u2029\u202e\ufeff",
  "\ud800 \udfff",
  "\u{e0065}\u{e0101} 👩‍👩‍👧‍👦 田中",
];

/** What Python makes of string literals, each as its UTF-16 units. */
function read(literals: readonly string[]): string[] {
  const program = `import ast, json, sys
print(json.dumps([ast.literal_eval(text) for text in json.load(sys.stdin)]))`;
  return JSON.parse(execFileSync("python3", ["-c", program], { input: JSON.stringify(literals), encoding: "utf8" }));
}

test("every text is a literal of Python that means just that text", () => {
  expect(read(texts.map(quotePython))).toEqual(texts);
});

test("a literal shows what it holds", () => {
  expect(quotePython("\u202e\u{e0065}\ud800\u0000")).toBe(String.raw`"\u202e\U000e0065\ud800\u0000"`);
});

test("a docstring holds its text and cannot be closed by it", () => {
  const plain = ['say "this"', '"""', 'x"""; evil(); """', "ends in \\", '\\"""', '"', "a\nb", '""\n"'];
  const strings = plain.map((text) => docstring(text, "").trimEnd());
  expect(read(strings).map((text) => text.trimEnd())).toEqual(plain);
});

test("no text makes no docstring", () => {
  expect(docstring("", "    ")).toBe("");
});
