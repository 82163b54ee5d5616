import { expect, test } from "vitest";
import { searchExpressions } from "./search-query.ts";

test.each([
  ["Orders", '"orders"'],
  ["sum NEAR(b) -c", '"sum" OR "near" OR "b" OR "c"'],
  ['x" OR name:y*', '"x" OR "name" OR "y"'],
  ["the order_total of an order", '"order" OR "total"'],
  ["how to", '"how" OR "to"'],
  ["Größe", '"größe"'],
])("%j asks for %s, then for what begins so", (query, expression) => {
  expect(searchExpressions(query)).toEqual([
    expression,
    expression.replaceAll(/" OR|"$/g, (end) => `"*${end.slice(1)}`),
  ]);
});

test.each(["", "  ", "*-\"'"])("%j asks for nothing", (query) => {
  expect(searchExpressions(query)).toEqual([]);
});
