import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readCallArguments } from "./call-arguments.ts";

describe("a pair", () => {
  test.each([
    ["count=3", { count: 3 }],
    ["on=true", { on: true }],
    ["nothing=null", { nothing: null }],
    ['list=[1,"a"]', { list: [1, "a"] }],
    ['text="3"', { text: "3" }],
    ["word=hello world", { word: "hello world" }],
    ["empty=", { empty: "" }],
    ["formula=a=b", { formula: "a=b" }],
    ["broken={", { broken: "{" }],
    ["id=12345678901234567890", { id: "12345678901234567890" }],
    ["ratio=0.25", { ratio: 0.25 }],
  ])("%s is JSON where it is JSON, else text", async (pair, expected) => {
    expect(await readCallArguments([pair])).toEqual(expected);
  });

  test("named like a part of every object is an argument as any other", async () => {
    const args = await readCallArguments(["__proto__=1", "constructor=2"]);
    expect(Object.entries(args)).toEqual([
      ["__proto__", 1],
      ["constructor", 2],
    ]);
  });

  test.each(["word", "=value"])("%s is refused", async (pair) => {
    await expect(readCallArguments([pair])).rejects.toMatchObject({
      code: "input_invalid",
      message: `${JSON.stringify(pair)} is not an argument`,
    });
  });
});

describe("--args", () => {
  test("is JSON, or a file of it, under the pairs", async () => {
    const folder = mkdtempSync(join(tmpdir(), "call-arguments-"));
    const file = join(folder, "arguments.json");
    writeFileSync(file, '{"a":1,"b":2}');
    expect(await readCallArguments(["b=3"], `@${file}`)).toEqual({ a: 1, b: 3 });
    expect(await readCallArguments([], '{"a":{"b":[]}}')).toEqual({ a: { b: [] } });
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["{", /^--args is not JSON: /],
    ["[1]", /^--args is not an object$/],
    ["null", /^--args is not an object$/],
    ["@/no/such/file", /^Cannot read \/no\/such\/file: /],
  ])("%s is refused", async (args, message) => {
    await expect(readCallArguments([], args)).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
  });
});
