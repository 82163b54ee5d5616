import { expect, test } from "vitest";
import { chineseTerms, glossed, glosses, glossesOf } from "./glossary.ts";

test.each([
  ["获取天气", ["获取", "天气"]],
  ["预订会议室", ["预订", "会议室"]],
  ["凤凰的文件，和 GitHub 分支", ["文件", "分支"]],
  ["ファイル追加", []],
  ["read a file", []],
  ["", []],
])("the known words of %j are %j", (text, terms) => {
  expect(chineseTerms(text)).toEqual(terms);
});

test.each([
  ["修改", ["update", "modify", "change"]],
  ["会议室", ["meeting room"]],
  ["凤凰", []],
  ["修改文件", []],
  ["file", []],
  ["constructor", []],
])("the English for %j is %j", (word, english) => {
  expect(glossesOf(word)).toEqual(english);
});

test("a Chinese text is glossed word by word; one in another language stays as it is", () => {
  expect(glosses("上传 PDF 文件到会议室")).toBe("upload file meeting room");
  expect(glossed("上传 PDF 文件")).toBe(" upload  PDF  file ");
  for (const text of ["ページを検索", "파일 읽기", "Datei lesen"])
    expect([glosses(text), glossed(text)]).toEqual(["", text]);
});

test("a long text without a known word is read in a moment", { timeout: 10_000 }, () => {
  expect(glosses("凤".repeat(1_000_000))).toBe("");
});
