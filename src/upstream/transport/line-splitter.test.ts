import { expect, test } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function split(chunks: readonly Buffer[], limit = 100): string[] {
  const splitter = new LineSplitter(limit);
  return chunks.flatMap((chunk) => splitter.push(chunk)).map((line) => line.toString("utf8"));
}

test.each([
  ["many lines in one chunk", ["a\nb\nc\n"], ["a", "b", "c"]],
  ["a line over many chunks", ["a", "b", "", "c\nd"], ["abc"]],
  ["a line that ends where a chunk does", ["a\n", "b\n"], ["a", "b"]],
  ["a newline alone in a chunk", ["a", "\n", "\n"], ["a", ""]],
  ["a start and an end in one chunk", ["a", "b\nc", "d\n"], ["ab", "cd"]],
  ["nothing", [""], []],
])("%s", (_, chunks, lines) => {
  expect(split(chunks.map((chunk) => Buffer.from(chunk)))).toEqual(lines);
});

test("characters may be cut anywhere", () => {
  const bytes = [...Buffer.from("größer 😀\nß\n")].map((byte) => Buffer.from([byte]));
  expect(split(bytes)).toEqual(["größer 😀", "ß"]);
});

test.each([
  ["in one chunk", ["1234567\n"]],
  ["in many", ["123", "4567", "\n"]],
  ["without an end", ["1234567"]],
])("a line above the limit ends the splitting, and lines before it are given: %s", (_, chunks) => {
  const splitter = new LineSplitter(6);
  expect(splitter.push(Buffer.from("123456\n")).map(String)).toEqual(["123456"]);
  expect(splitter.overflowed).toBe(false);
  expect(chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)))).toEqual([]);
  expect(splitter.overflowed).toBe(true);
  expect(splitter.push(Buffer.from("a\n"))).toEqual([]);
});

test("a line that is given stays as it is when more is read", () => {
  const splitter = new LineSplitter(100);
  splitter.push(Buffer.from("ab"));
  const [line] = splitter.push(Buffer.from("c\nx"));
  splitter.push(Buffer.from("yz\n"));
  expect(String(line)).toBe("abc");
});
