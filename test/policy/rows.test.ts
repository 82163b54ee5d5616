import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { rows } from "./rows.ts";

test("every test that a row names is there, and no two rows have one id", () => {
  const named = rows.flatMap((row) => ("tests" in row ? row.tests : []));
  expect(named.filter(([file, name]) => !readFileSync(file, "utf8").includes(name))).toEqual([]);
  const ids = rows.map(({ id }) => id);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});
