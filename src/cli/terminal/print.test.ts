import { expect, test } from "vitest";
import { jsonText } from "./print.ts";

test.each([
  ["\u001b[31m", '"\\u001b[31m"'],
  ["\u009b31m\u007f", '"\\u009b31m\\u007f"'],
  ["\u202eabc\u2066", '"\\u202eabc\\u2066"'],
  ["\u{e0041}", '"\\udb40\\udc41"'],
  ["é 漢 😀", '"é 漢 😀"'],
])("JSON of %j escapes what a terminal would obey or hide, and nothing else", (value, text) => {
  expect(jsonText(value)).toBe(text);
  expect(JSON.parse(text)).toBe(value);
});

test("indented JSON keeps its lines", () => {
  expect(jsonText({ a: ["\n"] }, 2)).toBe('{\n  "a": [\n    "\\n"\n  ]\n}');
});

test("a value that JSON does not have is null", () => {
  expect(jsonText(undefined)).toBe("null");
});
