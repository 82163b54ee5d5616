import { expect, test } from "vitest";
import { resolveReference } from "./schema-object.ts";

const root = { $defs: { "a/b~c d": 1, list: [{ x: 2 }] }, "": 3 };

test.each<[unknown, unknown]>([
  ["#", root],
  ["#/", 3],
  ["#/$defs/a~1b~0c d", 1],
  ["#/$defs/a~1b~0c%20d", 1],
  ["#/$defs/list/0/x", 2],
  ["#/$defs/list/1", undefined],
  ["#/$defs/none/x", undefined],
  ["#/__proto__", undefined],
  ["#/$defs/constructor", undefined],
  ["#anchor", undefined],
  ["other.json#/$defs", undefined],
  [`#/${"x/".repeat(1_000)}`, undefined],
  [5, undefined],
])("the reference %j is followed inside the schema only", (reference, found) => {
  expect(resolveReference(root, reference)).toBe(found);
});
