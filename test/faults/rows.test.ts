import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rows } from "./rows.ts";

test("every row from F01 to F53 is there, and the tests that it names", () => {
  expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 53 }, (_, n) => `F${String(n + 1).padStart(2, "0")}`));
  const missing = rows.flatMap(({ id, tests }) =>
    tests.filter(([file, name]) => !readFileSync(file, "utf8").includes(name)).map(([file, name]) => [id, file, name]),
  );
  expect(missing).toEqual([]);
  expect(rows.filter(({ tests }) => tests.length === 0)).toEqual([]);
});

test("docs/faults.md has these rows, in these words", () => {
  const told = readFileSync("docs/faults.md", "utf8").match(/^\| F\d\d \|.*$/gm);
  expect(told).toEqual(rows.map(({ id, fault, held }) => `| ${id} | ${fault} | ${held} |`));
});
