import { expect, test } from "vitest";
import { isCertainlyWrong, isUnion, literalTexts, partsOf, widened } from "./printed-type.ts";

test.each([
  ["str | None", true],
  ["Literal[1, 'a']", true],
  ["Literal['a | b']", false],
  ["list[str | int]", false],
  ["(x: int | str) -> str", false],
])("%s is a union: %s", (type, expected) => {
  expect(isUnion(type)).toBe(expected);
});

test("parts are told apart outside of brackets and quotes", () => {
  expect(partsOf("dict[str, list[tuple[int, str]]]")).toEqual(["str", "list[tuple[int, str]]"]);
  expect(literalTexts("Literal['a, b', \"c'd\", 3] | None")).toEqual(["a, b", "c'd"]);
  expect([widened("Literal['x']"), widened("Literal[5]"), widened("list[int]")]).toEqual(["str", "int", "list[int]"]);
});

test.each([
  ["Literal[5]", "str"],
  ["str", "int"],
  ["Literal['a']", "Literal['b', 'c']"],
  ["list[int]", "list[str]"],
  ["list[int]", "_List[str] | None"],
  ["set[str]", "_List[str]"],
  ["datetime", "str"],
  ["dict[str, int]", "str"],
  ["int | float", "str"],
  ["str", "SearchPapers_Filters | Mapping[str, Any]"],
])("%s can never be %s", (found, expected) => {
  expect(isCertainlyWrong(found, expected)).toBe(true);
});

test.each([
  ["str | None", "str"],
  ["None", "str"],
  ["str", "Literal['a']"],
  ["int", "float"],
  ["float", "int"],
  ["list[str | int]", "_List[str]"],
  ["list[Unknown]", "_List[str]"],
  ["tuple[int, str]", "_List[str]"],
  ["dict[str, str]", "AddDocuments_Documents"],
  ["list[dict[str, str]]", "_List[AddDocuments_Documents]"],
  ["Thing", "str"],
  ["int", "Any"],
  ["int", "_Item@_List"],
])("%s may be %s", (found, expected) => {
  expect(isCertainlyWrong(found, expected)).toBe(false);
});
