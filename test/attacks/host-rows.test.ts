import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { hostRows } from "./host-rows.ts";

test("every test that a row of the host names is there", () => {
  const named = hostRows.flatMap(({ tests = [] }) => tests);
  const missing = named.filter(([file, name]) => !readFileSync(file, "utf8").includes(name));
  expect(missing).toEqual([]);
  expect(hostRows.filter(({ tests, later }) => (tests === undefined) === (later === undefined))).toEqual([]);
});
