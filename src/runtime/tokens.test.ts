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
  ["code", readFileSync(new URL("./execute.ts", import.meta.url), "utf8")],
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
