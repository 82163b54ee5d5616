import { expect, test } from "vitest";
import { fromStored, toStored } from "./exact-text.ts";

test.each([
  ["", "string"],
  ["plain", "string"],
  ["émigré 😀 \u{10ffff}", "string"],
  ["'); DROP TABLE runs; --", "string"],
  ["\ufeffmark", "string"],
  ["before\0after", "object"],
  ["\ud800", "object"],
  ["low \udc00 first", "object"],
  ["\udc00\ud800", "object"],
])("%j is kept exactly, as a %s", (text, type) => {
  const stored = toStored(text);
  expect([typeof stored, fromStored(stored)]).toEqual([type, text]);
});
