import { describe, expect, test } from "vitest";
import { readCsv } from "./csv.ts";

const cases: [name: string, text: string, rows: Record<string, string>[]][] = [
  [
    "plain rows",
    "a,b\n1,2\n3,4\n",
    [
      { a: "1", b: "2" },
      { a: "3", b: "4" },
    ],
  ],
  ["no line end at the end", "a,b\n1,2", [{ a: "1", b: "2" }]],
  ["CRLF", "a,b\r\n1,2\r\n", [{ a: "1", b: "2" }]],
  ["a BOM", "\uFEFFa,b\n1,2\n", [{ a: "1", b: "2" }]],
  ["a delimiter in quotes", 'a,b\n"1,5",2\n', [{ a: "1,5", b: "2" }]],
  ["a line end in quotes", 'a,b\n"x\ny",2\n', [{ a: "x\ny", b: "2" }]],
  ["quotes in quotes", 'a\n"say ""hi"""\n', [{ a: 'say "hi"' }]],
  ["quoted names", '"a b",c\n1,2\n', [{ "a b": "1", c: "2" }]],
  [
    "empty values",
    "a,b,c\n,,\n1,,3",
    [
      { a: "", b: "", c: "" },
      { a: "1", b: "", c: "3" },
    ],
  ],
  ["an empty last value without a line end", "a,b\n1,", [{ a: "1", b: "" }]],
  ["empty lines", "a,b\n\n1,2\n\n", [{ a: "1", b: "2" }]],
  ["numbers that stay text", "zip,n\n00501,1e3\n", [{ zip: "00501", n: "1e3" }]],
  ["a name that objects have", "__proto__,b\n1,2\n", [JSON.parse('{"__proto__":"1","b":"2"}')]],
  ["a head alone", "a,b\n", []],
  ["nothing", "", []],
];

test.each(cases)("%s", (_name, text, rows) => {
  expect([...readCsv(text)]).toEqual(rows);
});

test("another delimiter", () => {
  expect([...readCsv("a;b\n1,5;2\n", ";")]).toEqual([{ a: "1,5", b: "2" }]);
  expect([...readCsv("a\tb\n1\t2\n", "\t")]).toEqual([{ a: "1", b: "2" }]);
});

describe("what does not fit is told with its line", () => {
  test.each([
    ["a,b\n1,2\n3\n", "line 3 has 1 values, the first row has 2"],
    ['a,b\n"x\ny",2\n1,2,3\n', "line 4 has 3 values"],
    ['a,b\n1,"2\n', "the quote that opens on line 2 is never closed"],
    ['a\n"1"2\n', "line 2 has text after a closing quote"],
    ["a,a\n1,2\n", 'the column "a" is there twice'],
  ])("%j", (text, message) => {
    expect(() => [...readCsv(text)]).toThrow(message);
  });
});

test("more columns than a table has are refused, at once", () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(",");
  expect([...readCsv(`${names(16_384)}\n`)]).toEqual([]);
  expect(() => [...readCsv(`${names(1_000_000)}\n`)]).toThrow("there are 1000000 columns, more than 16384");
}, 10_000);
