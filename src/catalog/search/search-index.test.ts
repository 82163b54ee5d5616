import { expect, test } from "vitest";
import { digestTexts } from "./search-digest.ts";
import { createScores, createSearchIndex, type SearchIndex } from "./search-index.ts";
import { type LibraryText, placeNames, type ToolText } from "./search-text.ts";

type Parts = Partial<Record<keyof ToolText | keyof LibraryText, string>>;

/** Each text is the only tool of its library. */
function indexOf(...texts: readonly Parts[]): SearchIndex {
  const index = createSearchIndex();
  for (const parts of texts) addText(index, parts);
  return index;
}

function addText(index: SearchIndex, parts: Parts): void {
  const words = placeNames.map((place) => [place, (parts[place] ?? "").split(" ").filter(Boolean)]);
  const text = Object.fromEntries(words) as ToolText & LibraryText;
  const { server, serverText, ...ofTool } = text;
  index.add({ names: ["tool"], ...digestTexts([ofTool]) }, { server, serverText }, () => false);
}

const texts: readonly Parts[] = [
  { name: "list issues", summary: "issues" },
  { name: "get issue" },
  { description: "issue" },
  { name: "kubernetes", server: "constructor" },
  { name: "a b c d e f g h issue" },
];
const index = indexOf(...texts);

function scoresOf(look: "lookUp" | "lookUpLoosely", word: string, among = index): ReadonlyMap<number, number> {
  const scores = createScores(among.size);
  among[look](word, scores);
  const found = [...scores.values.entries()].filter(([, score]) => score > 0);
  expect(scores.found).toBe(found.length);
  return new Map(found);
}
const best = (scores: ReadonlyMap<number, number>) =>
  [...scores].toSorted((left, right) => right[1] - left[1]).map(([number]) => number);

test("a word is found in all its forms, the same form and the weightier place first", () => {
  expect(best(scoresOf("lookUp", "issue"))).toEqual([1, 0, 4, 2]);
  expect(best(scoresOf("lookUp", "issues"))).toEqual([0, 1, 4, 2]);
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
  expect(best(scoresOf("lookUpLoosely", word))).toEqual(expected);
});

test("a word that is found as it is, is not taken for a slip", () => {
  const close = indexOf({ name: "place" }, { name: "plane" });
  expect(best(scoresOf("lookUpLoosely", "place", close))).toEqual([0]);
  expect(best(scoresOf("lookUpLoosely", "plabe", close))).toEqual([0, 1]);
});

test("saying a word again in one place does not help, saying it in another does", () => {
  const repeated = indexOf(
    { summary: "issue issue issue" },
    { summary: "issue some thing" },
    { summary: "issue some thing", description: "issue" },
  );
  const scores = scoresOf("lookUp", "issue", repeated);
  expect(scores.get(0)).toBe(scores.get(1));
  expect(best(scores)[0]).toBe(2);
});

test("an index of nothing finds nothing", () => {
  expect(scoresOf("lookUpLoosely", "issue", indexOf())).toEqual(new Map());
});

test("what a tool and its library both say counts in both places", () => {
  const both = indexOf({ name: "issue", server: "issue" }, { name: "issue", server: "tracker" }, { server: "issue" });
  expect(best(scoresOf("lookUp", "issue", both))).toEqual([0, 1, 2]);
});

test("an index from which texts were taken is as if they had never been in it", () => {
  const changing = indexOf({ name: "gone issue" }, ...texts.slice(0, 2), { name: "absent" }, ...texts.slice(2));
  changing.remove(Uint8Array.of(1, 0, 0, 1, 0, 0, 0));
  expect(changing.size).toBe(texts.length);
  for (const word of ["issue", "issues", "gone", "absent", "kube", "constructor"]) {
    expect(scoresOf("lookUpLoosely", word, changing)).toEqual(scoresOf("lookUpLoosely", word));
    expect(changing.isKnown(word)).toBe(index.isKnown(word));
  }
  addText(changing, { name: "absent" });
  expect(best(scoresOf("lookUp", "absent", changing))).toEqual([texts.length]);
});
