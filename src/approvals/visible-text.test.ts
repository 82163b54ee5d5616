import { expect, test } from "vitest";
import { visibleText } from "./visible-text.ts";

test.each([
  ["an escape sequence", "\u001b[31mred\u001b[0m", "\\u{1b}[31mred\\u{1b}[0m"],
  ["the same in one byte", "\u009b2J", "\\u{9b}2J"],
  ["the title of a window", "\u001b]0;mine\u0007", "\\u{1b}]0;mine\\u{7}"],
  [
    "line breaks of every kind",
    "a\nb\rc\u0085d\u2028e\u2029f\u000bg",
    "a\\u{a}b\\u{d}c\\u{85}d\\u{2028}e\\u{2029}f\\u{b}g",
  ],
  ["a tab, a null, a delete", "\t\u0000\u007f", "\\u{9}\\u{0}\\u{7f}"],
  [
    "direction",
    "\u202eabc\u202c\u2066d\u2069\u200f\u061c",
    "\\u{202e}abc\\u{202c}\\u{2066}d\\u{2069}\\u{200f}\\u{61c}",
  ],
  [
    "width zero",
    "a\u200bb\u200cc\u200dd\u2060e\ufefff\u00adg",
    "a\\u{200b}b\\u{200c}c\\u{200d}d\\u{2060}e\\u{feff}f\\u{ad}g",
  ],
  ["tags", "x\u{e0001}\u{e0041}\u{e007f}", "x\\u{e0001}\\u{e0041}\\u{e007f}"],
  ["variation selectors", "a\ufe0f\u{e0100}\u180b", "a\\u{fe0f}\\u{e0100}\\u{180b}"],
  ["fillers and blanks", "\u3164\u115f\uffa0\u2800\u034f", "\\u{3164}\\u{115f}\\u{ffa0}\\u{2800}\\u{34f}"],
  ["spaces that are not the usual one", "a\u00a0b\u3000c d", "a\\u{a0}b\\u{3000}c d"],
  ["halves of a pair", "\ud83d.\ude00", "\\u{d83d}.\\u{de00}"],
  ["private and unassigned characters", "\ue000\u{f0000}\ufffe", "\\u{e000}\\u{f0000}\\u{fffe}"],
  ["a heap of marks", `e${"\u0301".repeat(5)}`, "e\u0301\u0301\u0301\\u{301}\\u{301}"],
  ["what everybody can see", 'é 漢 हिन्दी 😀 "\\" ไทย', 'é 漢 हिन्दी 😀 "\\" ไทย'],
])("%s", (_what, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("a megabyte of anything takes no time to speak of", () => {
  for (const text of ["\u0301", "\u001b", "a", " ", "\ud800"]) {
    const began = performance.now();
    visibleText(text.repeat(1_000_000));
    expect(performance.now() - began).toBeLessThan(5000);
  }
});
