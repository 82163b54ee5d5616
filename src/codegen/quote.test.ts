import { expect, test } from "vitest";
import { quote } from "./quote.ts";

test.each([
  ["plain", '"plain"'],
  ["größe 日本 😀", '"größe 日本 😀"'],
  ['"; evil(); "', '"\\"; evil(); \\""'],
  ["`\u0024{x}` \\", '"`\u0024{x}` \\\\"'],
  ["a\r\n\u0000\u007f\u0085", '"a\\r\\n\\u0000\\u007f\\u0085"'],
  ["\u2028\u2029", '"\\u2028\\u2029"'],
  ["\u202e\u2066\u200b\ufeff", '"\\u202e\\u2066\\u200b\\ufeff"'],
  ["\ud800 \udc00", '"\\ud800 \\udc00"'],
  ["\u{e0041}\u{e0101}", '"\\udb40\\udc41\\udb40\\udd01"'],
])("%j is a literal that shows all of it and means the same", (text, literal) => {
  expect(quote(text)).toBe(literal);
  expect(JSON.parse(literal)).toBe(text);
});
