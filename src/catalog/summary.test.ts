import { expect, test } from "vitest";
import { summaryOf } from "./summary.ts";

test.each([
  ["one sentence", "Read a file.", "Read a file."],
  ["the first of several", "Stage files. Add them to the index.", "Stage files."],
  ["no end", "Merge a pull request", "Merge a pull request"],
  [
    "an abbreviation inside",
    "Takes a name, e.g. a city, and gives its time. More.",
    "Takes a name, e.g. a city, and gives its time.",
  ],
  ["a heading first", "# Search\n\nFinds notes by their text.", "Finds notes by their text."],
  [
    "a picture and a label, then a numbered list",
    "🎯 Purpose:\n      1. Retrieves a paginated list.\n\n    📦 Returns:\n      1. Objects.",
    "Retrieves a paginated list.",
  ],
  [
    "a warning before the purpose",
    "🛡️ Guardrails:\n  1. Data Modification Warning: ask first.\n\n  🎯 Purpose:\n  1. Creates objects.",
    "Creates objects.",
  ],
  ["a label alone", "🎯 Purpose:", "Purpose:"],
  [
    "a picture before a sentence",
    "🚨 MANDATORY FIRST STEP: This tool MUST be called first.",
    "MANDATORY FIRST STEP: This tool MUST be called first.",
  ],
  ["Chinese", "查询天气。返回温度。", "查询天气。"],
  [
    "that it is deprecated",
    "Read the complete contents of a file as text. DEPRECATED: Use read_text_file instead.",
    "DEPRECATED: Use read_text_file instead. Read the complete contents of a file as text.",
  ],
  ["deprecated in the first sentence", "Deprecated: use b.", "Deprecated: use b."],
  ["an escape sequence", "\u001b[31mRed\u001b[0m text. More.", "Red text."],
  ["nothing", "", ""],
  ["nothing but signs", "***\n---", ""],
])("%s", (_what, description, summary) => {
  expect(summaryOf(description)).toBe(summary);
});

test("a long sentence is cut, and a long text takes no time", () => {
  expect(summaryOf(`${"word ".repeat(100)}.`)).toHaveLength(160);
  expect(summaryOf("# ".repeat(1_000_000))).toBe("");
  expect(summaryOf("a:\n".repeat(1_000_000))).toMatch(/^a:?$/);
});
