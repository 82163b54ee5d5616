import { expect, test } from "vitest";
import { compareSchemas } from "./compare-schemas.ts";

const text = { type: "string" };
const of = (properties: object, more: object = {}) => ({ type: "object", properties, ...more });
let deep: object = text;
let deeper: object = { type: "number" };
for (let depth = 0; depth < 50; depth++) [deep, deeper] = [of({ in: deep }), of({ in: deeper })];

type Row = [what: string, before: unknown, after: unknown, wider: string[], narrower: string[]];
const rows: Row[] = [
  ["the same in another order", of({ a: text, b: text }), { properties: { b: text, a: text }, type: "object" }, [], []],
  ["a new field", of({ a: text }), of({ a: text, b: text }), ["b is new"], []],
  ["a field that is gone", of({ a: text, b: text }), of({ a: text }), [], ["b is gone"]],
  ["a field that is required", of({ a: text }), of({ a: text }, { required: ["a"] }), [], ["a is required now"]],
  [
    "an unknown field that is required",
    of({ a: text }),
    of({ a: text }, { required: ["b"] }),
    ["b is required now"],
    [],
  ],
  [
    "a field that need not be there",
    of({ a: text }, { required: ["a"] }),
    of({ a: text }),
    ["a is not required any more"],
    [],
  ],
  ["a text", of({ a: text }), of({ a: { ...text, description: "!" } }), ["a: description changed"], []],
  ["more types", of({ a: text }), of({ a: { type: ["string", "number"] } }), ["a: type changed"], []],
  ["fewer types", of({ a: { type: ["string", "null"] } }), of({ a: text }), [], ["a: type narrower"]],
  ["integer for number", of({ a: { type: "number" } }), of({ a: { type: "integer" } }), [], ["a: type narrower"]],
  ["number for integer", of({ a: { type: "integer" } }), of({ a: { type: "number" } }), ["a: type changed"], []],
  ["another type", of({ a: text }), of({ a: { type: "number" } }), ["a: type changed"], []],
  ["a type for any value", of({ a: {} }), of({ a: text }), [], ["a: type narrower"]],
  [
    "a type and a text for any value",
    of({ a: true }),
    of({ a: { ...text, title: "!" } }),
    ["a: title changed"],
    ["a: type narrower"],
  ],
  ["any value", of({ a: text }), of({ a: true }), ["a: type changed"], []],
  ["no value", of({ a: text }), of({ a: false }), [], ["a: takes nothing any more"]],
  ["a longer list of values", of({ a: { enum: [1] } }), of({ a: { enum: [1, 2] } }), ["a: allowed values changed"], []],
  [
    "a shorter list of values",
    of({ a: { enum: [1, 2] } }),
    of({ a: { enum: [2] } }),
    [],
    ["a: allowed values narrower"],
  ],
  [
    "a list of values where there was none",
    of({ a: text }),
    of({ a: { ...text, enum: ["run rm"] } }),
    ["a: allowed values changed"],
    [],
  ],
  ["no list of values any more", of({ a: { enum: [1] } }), of({ a: {} }), ["a: allowed values changed"], []],
  ["one value only", of({ a: text }), of({ a: { ...text, const: "run rm" } }), ["a: const changed"], []],
  ["fewer alternatives", { anyOf: [text, {}] }, { anyOf: [text] }, [], ["alternatives narrower"]],
  ["more alternatives", { oneOf: [text] }, { oneOf: [text, {}] }, ["alternatives changed"], []],
  ["another condition", { allOf: [text] }, { allOf: [text, of({ a: text })] }, ["allOf changed"], []],
  ["a higher minimum", of({ a: { minimum: 1 } }), of({ a: { minimum: 2 } }), [], ["a: minimum narrower"]],
  ["a lower minimum", of({ a: { minimum: 2 } }), of({ a: { minimum: 1 } }), ["a: minimum changed"], []],
  ["no minimum", of({ a: { minimum: 2 } }), of({ a: {} }), ["a: minimum changed"], []],
  ["a first maximum", of({ a: {} }), of({ a: { maxLength: 2 } }), [], ["a: maxLength narrower"]],
  ["a higher maximum", of({ a: { maxItems: 2 } }), of({ a: { maxItems: 3 } }), ["a: maxItems changed"], []],
  ["a maximum that is none", of({ a: { maximum: 2 } }), of({ a: { maximum: "run rm" } }), ["a: maximum changed"], []],
  ["elements of another type", { items: text }, { items: {} }, ["each element: type changed"], []],
  ["elements of a type", {}, { items: text }, [], ["each element: type narrower"]],
  [
    "no further fields",
    of({}),
    of({}, { additionalProperties: false }),
    [],
    ["further fields: takes nothing any more"],
  ],
  ["further fields", of({}, { additionalProperties: false }), of({}), ["further fields: other values are taken"], []],
  ["a pattern", of({ a: text }), of({ a: { ...text, pattern: "x" } }), ["a: pattern changed"], []],
  ["a format", of({ a: text }), of({ a: { ...text, format: "uri" } }), ["a: format changed"], []],
  ["unique elements", { uniqueItems: false }, { uniqueItems: true }, [], ["uniqueItems narrower"]],
  ["another reference", of({ a: { $ref: "#/$defs/x" } }), of({ a: { $ref: "#/$defs/y" } }), ["a: $ref changed"], []],
  ["a schema by name", { $defs: { x: text } }, { $defs: { x: { ...text, title: "!" } } }, ["x: title changed"], []],
  ["a new schema by name", { $defs: { x: text } }, { $defs: { x: text, y: { title: "!" } } }, ["y is new"], []],
  ["a word that nobody knows", {}, { "x-say": "!" }, ["x-say changed"], []],
  ["a field within a field", of({ a: of({ b: text }) }), of({ a: of({ b: text, c: text }) }), ["a.c is new"], []],
  ["what is no schema", of({ a: text }), "anything", ["the arguments: other values are taken"], []],
];

test.each(rows)("%s", (_what, before, after, wider, narrower) => {
  expect(compareSchemas(before, after)).toEqual({ wider, narrower });
});

test("what differs deeper than anybody reads is wider", () => {
  const { wider, narrower } = compareSchemas(deep, deeper);
  expect([wider.length, narrower]).toEqual([1, []]);
});
