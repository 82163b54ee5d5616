import { expect, test } from "vitest";
import { canonicalJson } from "./canonical-json.ts";

test.each<[string, unknown, string]>([
  [
    "keys are sorted by their UTF-16 units",
    { b: 1, a: 2, "\u20ac": 3, "10": 4, "9": 5, "": 6 },
    '{"":6,"10":4,"9":5,"a":2,"b":1,"€":3}',
  ],
  ["at every depth", [{ z: { y: 1, x: [] } }], '[{"z":{"x":[],"y":1}}]'],
  ["-0 is 0", { n: -0 }, '{"n":0}'],
  [
    "numbers are as ECMAScript writes them",
    JSON.parse("[1.0, 1e21, 1e-7, 333333333.33333329]"),
    "[1,1e+21,1e-7,333333333.3333333]",
  ],
  ["an integer beyond 2^53 is the double that it became", JSON.parse("[9007199254740993]"), "[9007199254740992]"],
  ["control characters and quotes are escaped", ['\u000f\n"\\'], '["\\u000f\\n\\"\\\\"]'],
  ["half of a surrogate pair is escaped", ["\ud800"], '["\\ud800"]'],
  ["a key named __proto__ is a key", JSON.parse('{"__proto__":1,"a":2}'), '{"__proto__":1,"a":2}'],
  ["what is not there is not said", { a: undefined, b: null }, '{"b":null}'],
])("%s", (_, value, text) => expect(canonicalJson(value)).toBe(text));

test.each([
  [new Date(0)],
  [new Map()],
  [Object("boxed")],
  [{ toJSON: () => 1 }],
  [JSON.parse("1e400")],
  [Number.NaN],
  [10n],
  [() => {}],
  [Symbol("s")],
])("what JSON cannot carry is refused: %s", (value) => {
  expect(() => canonicalJson({ deep: [value] })).toThrow(
    expect.objectContaining({ code: "input_invalid", message: expect.stringContaining("cannot be sent") }),
  );
});

test("a little text that is no Unicode is sent as it is, much of it is refused: it would hold the host up", () => {
  const half = "\ud83d".repeat(50_000);
  expect(JSON.parse(canonicalJson([half, half]))).toEqual([half, half]);
  expect(() => canonicalJson({ [half]: [half, "\udc00"] })).toThrow("half of a surrogate pair");
  expect(canonicalJson(["😀".repeat(1_000_000)])).toHaveLength(2_000_004);
});

test("the same value has the same text, however it was written", () => {
  const one = JSON.parse('{"a":[1.0,{"c":"\\u00e9","b":-0}],"d":1E2}');
  const other = JSON.parse('{"d":100,"a":[1,{"b":0,"c":"é"}]}');
  expect(canonicalJson(one)).toBe(canonicalJson(other));
});
