import { expect, test } from "vitest";
import { excerpt } from "./excerpt.ts";

test.each<[line: string, shown: string]>([
  ['    "KEY": "sk-1", // sk-2', '    "KEY": "…", // …'],
  [
    '  "args": ["--key", "sk-1"], "env": { "KEY" : sk-1, KEY: "a\\"sk-1" },\r',
    '  "args": ["…", "…"], "env": { "KEY" : …, KEY: "…" },',
  ],
  ['"sk-1"', '"…"'],
  ['"KEY": "sk-1', '"KEY": "…'],
  ['"KEY": sk-1", "a": 1', '"KEY": …"…"…"…'],
  ['"KEY: "sk-1:sk-2",', '"…"…:…"…'],
  ["https://sk-1@example.org", "https:// …"],
  ['"KEY": sk-1:sk-2,', '"KEY": …:…,'],
  ["/* sk-1 */ x", "/* …"],
  ['"\u001b[31m\u202e": 1', '"\\u{1b}[31m\\u{202e}": …'],
])("%j is shown as %j", (line, shown) => {
  expect(excerpt(line)).toBe(shown);
});

test("a long line is cut, and what the cut goes through is not shown", () => {
  expect(excerpt(`{ "a": 1, "${"k".repeat(1_000_000)}": 1 }`)).toBe('{ "a": …, "… …');
});
