import { expect, test } from "vitest";
import { block, type Pieces, shareBlocks, textOf } from "./shared-blocks.ts";

function share(texts: readonly Pieces[], least = 5) {
  let names = 0;
  const { texts: written, meanings } = shareBlocks(texts, { least, nameFor: (hint) => `${hint}${++names}` });
  return { written, meanings: Object.fromEntries(meanings) };
}

test("what is long and stands in several texts is named, and its meaning told once", () => {
  const error = block("Error", ["{ code, message }"]);
  expect(
    share([
      ["a: ", error],
      ["b: ", error, "[]"],
    ]),
  ).toEqual({
    written: ["a: Error1", "b: Error1[]"],
    meanings: { Error1: "{ code, message }" },
  });
});

test("what stands once, or is short, is written out", () => {
  expect(
    share(
      [
        ["a: ", block("Point", ["{ x, y }"])],
        ["b: ", block("Size", ["{ w }"])],
      ],
      6,
    ),
  ).toEqual({
    written: ["a: { x, y }", "b: { w }"],
    meanings: {},
  });
});

test("what stands twice only inside of something that is named is written out there", () => {
  const inner = block("Inner", ["{ deep }"]);
  const outer = block("Outer", ["{ inner: ", inner, " }"]);
  expect(share([[outer], [outer]])).toEqual({
    written: ["Outer1", "Outer1"],
    meanings: { Outer1: "{ inner: { deep } }" },
  });
  expect(share([[outer], [outer], [inner]])).toEqual({
    written: ["Outer1", "Outer1", "Inner2"],
    meanings: { Outer1: "{ inner: Inner2 }", Inner2: "{ deep }" },
  });
});

test("brackets stand around what is joined, not around a name", () => {
  const choice = { ...block("Choice", ['"a" | "b"'], true), isBracketed: true };
  expect(share([[choice, "[]"]]).written).toEqual(['("a" | "b")[]']);
  expect(share([[choice, "[]"], [choice]]).written).toEqual(["Choice1[]", "Choice1"]);
  expect(textOf([choice, "[]"])).toBe('"a" | "b"[]');
});
