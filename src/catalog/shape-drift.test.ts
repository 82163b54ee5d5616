import { expect, test } from "vitest";
import { mergeShapes, observe } from "./observed-shape.ts";
import { driftBetween } from "./shape-drift.ts";

test.each<[string, unknown[], unknown, { breaking?: string[]; added?: string[] }]>([
  ["the same again", [{ id: 1 }], { id: 2 }, {}],
  ["a whole number after broken ones", [{ rate: 1.5 }], { rate: 2 }, {}],
  ["an optional key is left out", [{ id: 1, tag: "x" }, { id: 2 }], { id: 3 }, {}],
  ["a new key", [{ id: 1 }], { id: 2, tag: "x" }, { added: ["tag is new"] }],
  ["another type", [{ a: [{ id: 1 }] }], { a: [{ id: "x" }] }, { breaking: ["a[].id was integer, now also string"] }],
  ["a key goes", [{ id: 1, tag: "x" }], { id: 2 }, { breaking: ["tag was always there, now it is missing"] }],
  ["a list instead of an object", [{ id: 1 }], [1], { breaking: ["the result was object, now also array"] }],
  ["null at last has a type", [{ id: null }], { id: "x" }, { added: ["id is string"] }],
  [
    "a key of the language goes",
    [{ constructor: 1 }],
    {},
    { breaking: ["constructor was always there, now it is missing"] },
  ],
  ["other entries of a map", [{ "a@b.c": 1 }], { "d@e.f": 2 }, {}],
  ["another type in a map", [{ "a@b.c": 1 }], { "d@e.f": "x" }, { breaking: ["[key] was integer, now also string"] }],
])("%s", (_what, before, later, { breaking = [], added = [] }) => {
  expect(driftBetween(before.map(observe).reduce(mergeShapes), observe(later))).toEqual({ breaking, added });
});
