import { expect, test } from "vitest";
import { createMistakes } from "./repeated-mistakes.ts";

const failed = (message: string) => ({ message });

test("a mistake is repeated when it is one of a client's last five", () => {
  const mistakes = createMistakes();
  expect(mistakes.isRepeated("a", failed("one"))).toBe(false);
  expect(mistakes.isRepeated("b", failed("one"))).toBe(false);
  for (const other of ["2", "3", "4", "5"]) mistakes.isRepeated("a", failed(other));
  expect(mistakes.isRepeated("a", failed("one"))).toBe(true);
  for (const other of ["6", "7", "8", "9", "10"]) mistakes.isRepeated("a", failed(other));
  expect(mistakes.isRepeated("a", failed("one"))).toBe(false);
});

test("the line that it is on does not matter", () => {
  const mistakes = createMistakes();
  const wrong = (line: number) => ({ message: `on ${line}`, problems: [{ line, column: 1, message: "wrong" }] });
  mistakes.isRepeated("a", wrong(1));
  expect(mistakes.isRepeated("a", wrong(2))).toBe(true);
});

test("the clients of long ago are forgotten", () => {
  const mistakes = createMistakes();
  mistakes.isRepeated("first", failed("one"));
  for (let client = 0; client < 200; client++) mistakes.isRepeated(`${client}`, failed("one"));
  expect(mistakes.isRepeated("first", failed("one"))).toBe(false);
});
