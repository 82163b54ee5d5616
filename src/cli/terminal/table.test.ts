import { expect, test } from "vitest";
import { table } from "./table.ts";

const rows = [
  ["a", "1", "a long description"],
  ["longer", "", ""],
];

test("columns are aligned, and no line ends in spaces", () => {
  expect(table(["NAME", "N", "WHAT"], rows)).toBe(
    ["NAME    N  WHAT", "a       1  a long description", "longer"].join("\n"),
  );
});

test("the last column is cut to the width", () => {
  expect(table(["NAME", "N", "WHAT"], rows, 24)).toBe(
    ["NAME    N  WHAT", "a       1  a long descr…", "longer"].join("\n"),
  );
});

test("a cell is one line without escapes", () => {
  expect(table(["X"], [["one\ntwo\u001b[31m three"]])).toBe("X\none two three");
});
