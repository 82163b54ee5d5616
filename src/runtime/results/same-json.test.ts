import { expect, test } from "vitest";
import { isSameJson } from "./same-json.ts";

test.each<[string, string, boolean]>([
  ["the same text", '{"a":1}', true],
  ["other spaces", '{\n  "a": 1\n}\n', true],
  ["spaces inside of a text", '{"a ":1}', false],
  ["another value", '{"a":2}', false],
  ["less of it", '{"a":1', false],
  ["more of it", '{"a":1}}', false],
  ["nothing", "", false],
])("%s", (_name, text, expected) => {
  expect(isSameJson(text, '{"a":1}')).toBe(expected);
});

test("a quote that is escaped does not end a text", () => {
  const json = JSON.stringify({ a: 'say "hi"  now\\', b: 1 });
  expect(isSameJson(JSON.stringify(JSON.parse(json), null, 2), json)).toBe(true);
  expect(isSameJson(json.replace("  now", " now"), json)).toBe(false);
});
