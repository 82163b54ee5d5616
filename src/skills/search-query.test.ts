import { expect, test } from "vitest";
import { searchWords } from "./search-query.ts";

test.each([
  ["Orders", ["orders"]],
  ["sum NEAR(b) -c", ["sum", "near", "b", "c"]],
  ['x" OR name:y*', ["x", "name", "y"]],
  ["the order_total of an order", ["order", "total"]],
  ["how to", ["how", "to"]],
  ["Größe", ["größe"]],
])("%j asks for %j", (query, words) => {
  expect(searchWords(query)).toEqual(words);
});

test.each(["", "  ", "*-\"'"])("%j asks for nothing", (query) => {
  expect(searchWords(query)).toEqual([]);
});

test("of a long query the first 20 words are asked for", () => {
  const words = Array.from({ length: 30 }, (_, index) => `word${index}`);
  expect(searchWords(words.join(" "))).toEqual(words.slice(0, 20));
});
