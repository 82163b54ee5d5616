import { expect, test } from "vitest";
import { searchExpression } from "./search-query.ts";

test.each([
  ["orders", '"orders" OR "orders"*'],
  ["a NEAR(b) -c", '"a" OR "NEAR" OR "NEAR"* OR "b" OR "c"'],
  ['x" OR name:y*', '"x" OR "OR" OR "name" OR "name"* OR "y"'],
  ["order_total order", '"order" OR "order"* OR "total" OR "total"*'],
  ["Größe", '"Größe" OR "Größe"*'],
])("%j asks for %s", (query, expression) => {
  expect(searchExpression(query)).toBe(expression);
});

test.each(["", "  ", "*-\"'"])("%j asks for nothing", (query) => {
  expect(searchExpression(query)).toBeUndefined();
});
