import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dimensions, likeness, readWordVectors } from "./word-vectors.ts";

const bytes = readFileSync(new URL("../../../data/search-table.bin", import.meta.url));
const table = readWordVectors(bytes);
const alike = (left: string, right: string) => likeness(table.of(left), table.of(right), 0);

test.each([
  ["send a mail to my boss", "gmail: deliver an e-mail message", "resize a picture"],
  ["what will the weather be", "forecast of temperature and rain", "list the branches of a repository"],
  ["remove a container", "docker: delete a running container", "search for songs"],
])("%j is more like %j than like %j", (query, near, far) => {
  expect(alike(query, near)).toBeGreaterThan(alike(query, far) + 0.2);
});

test("a text is the most like itself, however it is written", () => {
  expect(alike("create issue", "create issue")).toBeCloseTo(1, 1);
  expect(alike("createIssue", "create_issue")).toBeCloseTo(1, 1);
  expect(alike("crème brûlée", "creme brulee")).toBeCloseTo(1, 1);
});

test("a text without a known word is like nothing", () => {
  for (const text of ["", "  ", "\u{13000}\u{13001}", "?!"]) {
    expect(table.of(text)).toEqual(new Int8Array(dimensions));
    expect(alike(text, "create issue")).toBe(0);
  }
});

test("a long text takes no longer than its beginning", () => {
  expect(table.of("file ".repeat(200_000))).toEqual(table.of("file"));
  expect(table.of("x".repeat(1_000_000))).toEqual(new Int8Array(dimensions));
});

test("bytes that stand anywhere in a buffer are read", () => {
  const larger = new Uint8Array(bytes.length + 3);
  larger.set(bytes, 3);
  expect(readWordVectors(larger.subarray(3)).of("file")).toEqual(table.of("file"));
});
