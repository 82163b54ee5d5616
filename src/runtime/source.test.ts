import { expect, test } from "vitest";
import { stripFences, unreadable } from "./source.ts";

test.each<[string, string]>([
  ["```ts\n1 + 1\n```", "1 + 1"],
  ["````ts\n1 + 1\n```", "1 + 1"],
  ["```ts\n1 + 1\n````", "1 + 1"],
  ["```ts\n1 + 1```", "1 + 1"],
  ["```ts\n\n  1\n\n  ```\n\n", "\n  1\n"],
  ["```ts\r\n1\r\n```\r\n", "1\r"],
  ["\ufeff```\nx\n```", "x"],
  ["```\nx", "```\nx"],
  ["```x```", "```x```"],
  ["```\nx\n~~~", "```\nx\n~~~"],
  ["`a`\n", "`a`\n"],
  ["  ~~~\nx\n~~~  \n", "x"],
  ["```\n```", ""],
  ["const a = `\n\\`\\`\\`\n`;", "const a = `\n\\`\\`\\`\n`;"],
  ["1 + 1", "1 + 1"],
])("the code in %j is %j", (text, code) => {
  expect(stripFences(text)).toBe(code);
});

test.each([" ", "\n", "\t\n", "`", "``` ", "```\n"])(
  "a fence before 100,000 times %j is looked through in a moment",
  { timeout: 10_000 },
  (filling) => {
    const text = `\`\`\`\n${filling.repeat(100_000)}x`;
    expect(stripFences(text)).toBe(text);
  },
);

test("code that is too long is not looked at", () => {
  const text = `\`\`\`\n${"x".repeat(300_000)}\n\`\`\``;
  expect(stripFences(text)).toBe(text);
  expect(unreadable(text)?.message).toContain("more than 256000");
});
