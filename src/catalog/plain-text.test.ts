import { expect, test } from "vitest";
import { plainLine, plainText } from "./plain-text.ts";

const esc = "\u001b";

test.each([
  ["plain text stays, with lines\n\tand tabs", "plain text stays, with lines\n\tand tabs"],
  ["naïve 日本語 👩‍💻 ❤️", "naïve 日本語 👩‍💻 ❤️"],
  [`${esc}[31mred${esc}[0m`, "red"],
  ["\u009b31mred\u009b0m", "red"],
  [`${esc}]8;;http://evil.example${esc}\\click${esc}]8;;${esc}\\`, "click"],
  [`${esc}]52;c;ZXZpbA==\u0007copied`, "copied"],
  [`${esc}P1$r0m${esc}\\after`, "after"],
  [`before ${esc}]0;never closed`, "before 0;never closed"],
  [`${esc}c${esc}(Bx${esc}`, "x"],
  [`${esc}\u200b[2Jx`, "[2Jx"],
  ["over\rwritten", "over\nwritten"],
  ["one\r\ntwo\u2028three\u2029four", "one\ntwo\nthree\nfour"],
  ["a\u0000b\u0008c\u007fd\u0085e", "abcde"],
  ["user\u202etxt.exe\u202c \u2066x\u2069\u200f\u061c", "usertxt.exe x"],
  ["in\u200bvis\u2060ible\ufeff", "invisible"],
  ["tag\u{e0041}\u{e0042}\u{e0100}ged", "tagged"],
  ["lone \ud800 and \udc00", "lone \ufffd and \ufffd"],
])("%j becomes %j", (text, plain) => {
  expect(plainText(text, 100)).toBe(plain);
});

test("a text that is too long is cut and says so", () => {
  expect(plainText("abcdefgh", 8)).toBe("abcdefgh");
  expect(plainText("abcdefghi", 8)).toBe("abcdefg…");
  expect(plainText("abc👍👍👍", 5)).toBe("abc…");
  expect(plainText("a".repeat(10_000_000), 10)).toBe("aaaaaaaaa…");
});

test("what is hidden behind megabytes of removed characters is cut, too", () => {
  expect(plainText(`a${"\u200b".repeat(1_000_000)}b`, 10)).toBe("a…");
});

test("a line has no breaks and single spaces", () => {
  expect(plainLine("  one\n\n two\t three\u2028four ", 40)).toBe("one two three four");
  expect(plainLine("one two three", 8)).toBe("one two…");
});

test.each(["\u0090", "\u0098", "\u009d", "\u009e", "\u009f", "\u001b]", "\u001b[", "\u009b", "\u001b"])(
  "100,000 starts of a terminal string that never ends, %j, are gone in a moment",
  { timeout: 10_000 },
  (start) => {
    expect(plainText(`a${start.repeat(100_000)}`, 1_000_000)).toMatch(/^a\]?$/);
  },
);
