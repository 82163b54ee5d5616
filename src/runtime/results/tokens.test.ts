import { readFileSync } from "node:fs";
import { encode } from "gpt-tokenizer/encoding/o200k_base";
import { expect, test } from "vitest";
import { estimateTokens } from "./tokens.ts";

const rows = Array.from({ length: 100 }, (_, id) => ({
  id,
  name: `user ${id}`,
  score: id / 7,
  mail: `u${id}@example.org`,
}));

test.each<[string, string]>([
  ["code", readFileSync(new URL("../execute.ts", import.meta.url), "utf8")],
  ["rows of JSON", JSON.stringify(rows)],
  ["identifiers", rows.map(({ id }) => `9f1c${id}e-77aB-4Xc${id * 31}`).join("\n")],
  ["Chinese", "这是一个测试字符串用来测量令牌的数量。".repeat(20)],
  ["Russian", "Привет, как дела? Это проверка оценки. ".repeat(20)],
  ["base64", Buffer.from(JSON.stringify(rows)).toString("base64")],
])("the estimate for %s is near the real count and seldom below it", (_name, text) => {
  const ratio = estimateTokens(text) / encode(text).length;
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(2.5);
});

test.each<[string, string]>([
  ["mixed", "\n \t".repeat(330)],
  ["alternating", " \t".repeat(500)],
  ["vertical", "\v\f".repeat(500)],
  ["carriage returns", "\r".repeat(1000)],
  ["rare spaces", "\u2028\u2003".repeat(500)],
  ["line ends", "\n".repeat(1000)],
  ["indented code", "\n    const a = 1;".repeat(100)],
])("white space costs by what it is: %s", (_name, text) => {
  const ratio = estimateTokens(text) / encode(text).length;
  expect(ratio).toBeGreaterThan(0.75);
});

test.each<[string, string]>([
  ["indented code", "\n        const a = 1;\n      }\n".repeat(100)],
  ["indented JSON", JSON.stringify(rows, undefined, 2)],
  ["blank lines", "a line of words\n\n\n".repeat(100)],
])("ordinary white space is not overrated: %s", (_name, text) => {
  expect(estimateTokens(text) / encode(text).length).toBeLessThan(1.6);
});
