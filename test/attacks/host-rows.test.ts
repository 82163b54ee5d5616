import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type HostRow, hostRows } from "./host-rows.ts";

test("every test that a row of the host names is there", () => {
  const named = hostRows.flatMap(({ tests = [] }) => tests);
  const missing = named.filter(([file, name]) => !readFileSync(file, "utf8").includes(name));
  expect(missing).toEqual([]);
  const ends = ({ tests, later, remains }: HostRow) => [tests, later, remains].filter((end) => end !== undefined);
  expect(hostRows.filter((row) => ends(row).length !== 1)).toEqual([]);
});
