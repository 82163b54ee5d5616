import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRows } from "./every-row.ts";
import { begin, end, inOrder, line, withTable } from "./table.ts";

const rows = await readRows();
const written = readFileSync("docs/security.md", "utf8");
const table = written.split(begin)[1]?.split(end)[0] ?? "";

test("every test that a row names is there, and no two rows have one id", () => {
  const named = rows.flatMap((row) => ("tests" in row ? row.tests : []));
  expect(named.filter(([file, name]) => !readFileSync(file, "utf8").includes(name))).toEqual([]);
  const ids = rows.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test("each row has calls, tests, or the issue that makes it possible", () => {
  const ways = ["calls", "tests", "later"];
  expect(rows.filter((row) => ways.filter((way) => way in row).length !== 1)).toEqual([]);
  expect(rows.filter((row) => "calls" in row && row.calls.length === 0)).toEqual([]);
  expect(rows.filter((row) => "tests" in row && row.tests.length === 0)).toEqual([]);
});

test("the table in docs/security.md has every row, as it is, and each is held or comes later", () => {
  const lines = table.split("\n").filter((one) => /^\| (?!row |-)/.test(one));
  const wanted = inOrder(rows).map(({ id, what }) => line([id, what]).slice(0, -2));
  expect(lines.map((one) => one.slice(0, one.lastIndexOf(" | ")))).toEqual(wanted);
  expect(lines.filter((one) => !/\| (held: \d+ tests?|later: issue \d+)[^|]* \|$/.test(one))).toEqual([]);
});

test("the table is written between its marks, and nowhere else; what was not tried stays as it was", () => {
  const all = ["1", "2", "3"].map((id) => ({ id, what: "a | b", later: "9" }));
  const cell = { id: "2", what: "a | b", isHeld: true, text: "held: 1 test" };
  const head = "| row | what is tried | outcome |\n|---|---|---|\n";
  expect(withTable(`x\n${begin}\n| 1 | old | held |\n| 0 | gone | held |\n${end}\ny`, all, [cell])).toBe(
    `x\n${begin}\n${head}| 1 | old | held |\n| 2 | a \\| b | held: 1 test |\n${end}\ny`,
  );
  expect(() => withTable("# A text", all, [cell])).toThrow("has no place");
});
