import { describe, expect, test } from "vitest";
import { CoordinatorError } from "../errors.ts";
import { readDocument } from "./document.ts";

function syntaxError(text: string): CoordinatorError {
  try {
    readDocument(text, "/f.json");
  } catch (error) {
    if (error instanceof CoordinatorError) return error;
    throw error;
  }
  throw new Error("the text was taken");
}

test("comments and trailing commas are JSON here", () => {
  const { value, problems } = readDocument('/* a */ { "a": [1, 2,], // b\n "c": { "d": null, }, }', "/f.json");
  expect({ value: JSON.stringify(value), problems }).toEqual({ value: '{"a":[1,2],"c":{"d":null}}', problems: [] });
});

describe("a syntax error tells place, expectation and the line without its values:", () => {
  test.each<[text: string, told: string]>([
    ["", "line 1, column 1: expected a value\n  1 | "],
    ["// nothing", "line 1, column 11: expected a value\n  1 | // …"],
    [
      '{\n  "a": "x"\n  "b": 1\n}',
      'line 3, column 3: expected a comma, or a closing bracket, before this\n  3 |   "b": …',
    ],
    ['{ "a" 1 }', 'line 1, column 7: expected a colon after the key\n  1 | { "…" … }'],
    ['{\r\n "a": ,\r\n}', 'line 2, column 7: expected a value\n  2 |  "a": ,'],
    ['{ "a": secret }', 'line 1, column 8: expected a value: text needs double quotes\n  1 | { "a": … }'],
    ["{ 'a': 1 }", "line 1, column 3: expected a value: text needs double quotes\n  1 | { 'a': … }"],
    ['{ "a": "secret }', 'line 1, column 8: expected a closing double quote\n  1 | { "a": "…'],
    [
      '{ "a": "C:\\Users" }',
      'line 1, column 8: expected a known escape after the backslash (a backslash itself is written \\\\)\n  1 | { "a": "…" }',
    ],
    ['{ "a": "\\u12" }', 'line 1, column 8: expected four hexadecimal digits after \\u\n  1 | { "a": "…" }'],
    [
      '{ "a": "b\tc" }',
      'line 1, column 8: expected an escape such as \\n or \\t instead of a control character\n  1 | { "a": "…" }',
    ],
    ['{ "a": [1 }', 'line 1, column 11: expected a comma, or a closing bracket, before this\n  1 | { "a": [… }'],
    ['{ "a": 1', 'line 1, column 9: expected a closing brace }\n  1 | { "a": …'],
    [
      '{ "a": 1 } }',
      'line 1, column 12: expected nothing more: the outer object is closed already\n  1 | { "a": … } }',
    ],
    ['{ "a": 1. }', 'line 1, column 8: expected a digit\n  1 | { "a": … }'],
    ["{ /* a", "line 1, column 3: expected */ at the end of the comment\n  1 | { /* …"],
  ])("%j", (text, told) => {
    const { code, message } = syntaxError(text);
    expect({ code, message }).toEqual({ code: "config_invalid", message: `Cannot read /f.json: ${told}` });
  });
});

test("a million brackets are refused, not followed", () => {
  expect(syntaxError("[".repeat(1_000_000)).message).toBe(
    `Cannot read /f.json: line 1, column 101: expected at most 100 levels of nesting\n  1 | ${"[".repeat(160)} …`,
  );
});

test("a key that is written twice is a problem at its second place, at any depth", () => {
  const document = readDocument('{ "a": [{ "b": 1,\n "c": 2,\n "b": 3 }] }', "/f.json");
  expect(document.problems).toEqual([{ path: ["a", 0, "b"], text: "is written twice; keep one", offset: 28 }]);
  expect(document.line(28)).toBe(3);
});

test("the line of a path that is not there is that of its nearest ancestor", () => {
  const document = readDocument('// top\n{\n "a":\n {\n "b": [1,\n 2] } }', "/f.json");
  const paths = [[], ["a"], ["a", "b"], ["a", "b", 1], ["a", "b", 7], ["a", "x", "y"], ["z"]];
  expect(paths.map((path) => document.line(document.offset(path)))).toEqual([2, 3, 5, 6, 5, 3, 2]);
});

test("keys come in the order of the file", () => {
  const document = readDocument('{ "m": { "b": 1, "2": 1, "1": 1 }, "n": 1 }', "/f.json");
  expect([["m"], ["n"], ["x"], []].map((path) => document.keys(path))).toEqual([["b", "2", "1"], [], [], ["m", "n"]]);
});
