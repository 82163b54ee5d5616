import { expect, test } from "vitest";
import { createSearchIndex } from "./search-index.ts";
import { type Place, placeNames, type SearchText } from "./search-text.ts";

function text(parts: Partial<Record<Place, string>>): SearchText {
  const words = placeNames.map((place) => [place, (parts[place] ?? "").split(" ").filter(Boolean)]);
  return Object.fromEntries(words) as SearchText;
}

const index = createSearchIndex([
  text({ name: "list issues", summary: "issues" }),
  text({ name: "get issue" }),
  text({ description: "issue" }),
  text({ name: "kubernetes", server: "constructor" }),
  text({ name: "a b c d e f g h issue" }),
]);
const best = (scores: ReadonlyMap<number, number>) =>
  [...scores].toSorted((left, right) => right[1] - left[1]).map(([number]) => number);

test("a word is found in all its forms, the same form and the weightier place first", () => {
  expect(best(index.lookUp("issue"))).toEqual([1, 0, 4, 2]);
  expect(best(index.lookUp("issues"))).toEqual([0, 1, 4, 2]);
});

test.each([
  ["kube", [3]],
  ["kubernetis", [3]],
  ["kuebrnetes", [3]],
  ["kubernete", [3]],
  ["kuberrnetes", [3]],
  ["hubernetes", [3]],
  ["xube", []],
  ["kabarnates", []],
  ["iss", [0, 1, 4, 2]],
  ["is", []],
  ["__proto__", []],
  ["toString", []],
  ["constructor", [3]],
])("%s is looked up loosely", (word, expected) => {
  expect(best(index.lookUpLoosely(word))).toEqual(expected);
});

test("a word that is found as it is, is not taken for a slip", () => {
  const close = createSearchIndex([text({ name: "place" }), text({ name: "plane" })]);
  expect(best(close.lookUpLoosely("place"))).toEqual([0]);
  expect(best(close.lookUpLoosely("plabe"))).toEqual([0, 1]);
});

test("saying a word again in one place does not help, saying it in another does", () => {
  const repeated = createSearchIndex([
    text({ summary: "issue issue issue" }),
    text({ summary: "issue some thing" }),
    text({ summary: "issue some thing", description: "issue" }),
  ]);
  const scores = repeated.lookUp("issue");
  expect(scores.get(0)).toBe(scores.get(1));
  expect(best(scores)[0]).toBe(2);
});

test("an index of nothing finds nothing", () => {
  expect(createSearchIndex([]).lookUpLoosely("issue")).toEqual(new Map());
});
