import { decode } from "@toon-format/toon";
import { expect, test } from "vitest";
import { cutValue } from "./cut.ts";
import { toonOf } from "./toon.ts";

const rows = Array.from({ length: 200 }, (_, id) => ({
  id,
  name: `city ${id}`,
  people: id * 1000,
  isOld: id % 2 === 0,
}));

test("a table is written with its header once, and reads back as it was", () => {
  const text = toonOf(rows);
  expect(text?.split("\n").slice(0, 2)).toEqual(["[200]{id,name,people,isOld}:", "  0,city 0,0,true"]);
  expect(decode(text ?? "")).toEqual(rows);
});

test("a table that was cut still reads as one", () => {
  const { shown, kept } = cutValue(rows, 500);
  expect(kept).toMatchObject({ total: 200, unit: "items" });
  expect(decode(toonOf(shown) ?? "")).toEqual(shown);
});

test("nested data reads back as it was", () => {
  const nested = {
    region: { name: "north", cities: rows.slice(0, 5), tags: ["a", "b"] },
    next: null,
    list: [[1, 2], []],
  };
  expect(decode(toonOf(nested) ?? "")).toEqual(nested);
});

test("texts that could be taken for something else read back as they were", () => {
  const texts = [
    "true",
    "null",
    "1e5",
    "-1",
    "-",
    "",
    " a ",
    "a,b",
    "a: b",
    "[2]: 1,2",
    "- x",
    '"',
    "\\",
    "a\nb",
    "#",
    "{}",
    "\u2028",
  ];
  const table = texts.flatMap((text) => [text, `${text}${text}`].map((twice) => ({ text: twice, number: 1 })));
  expect(decode(toonOf(table) ?? "")).toEqual(table);
  const keyed = { rows, ...Object.fromEntries(texts.map((text) => [text, 1])) };
  expect(decode(toonOf(keyed) ?? "")).toEqual(keyed);
});

test("what TOON cannot hold stays JSON", () => {
  expect(toonOf([...rows, { id: 0, name: "\ud800", people: 0, isOld: false }])).toBeUndefined();
});

test("a key that objects have by themselves is a key like others", () => {
  const value: unknown = JSON.parse(`{ "__proto__": { "a": 1 }, "constructor": 2, "rows": ${JSON.stringify(rows)} }`);
  const back = decode(toonOf(value) ?? "");
  expect(Object.keys(back as object)).toEqual(["__proto__", "constructor", "rows"]);
  expect(JSON.stringify(back)).toBe(JSON.stringify(value));
});

test("what is hardly shorter stays JSON: lines and spaces cost tokens too", () => {
  expect(toonOf({ name: "Ann", teams: [{ name: "red", since: [2020, 2024] }] })).toBeUndefined();
});

test.each([[1], ["text"], [null], [true], [undefined], [[]], [{}]])("%j has no text but its JSON", (value) => {
  expect(toonOf(value)).toBeUndefined();
});
