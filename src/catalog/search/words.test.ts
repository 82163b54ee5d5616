import { expect, test } from "vitest";
import { joined, nameWords, stem, words } from "./words.ts";

test.each([
  ["Create a new issue in the repository", ["create", "new", "issue", "repository"]],
  ["max_results, per-page (v2)", ["max", "results", "page", "v2"]],
  ["set maxResults", ["set", "maxresults", "max", "results"]],
  ["GitHub and JavaScript", ["github", "javascript"]],
  ["Liste les dépôts créés", ["liste", "les", "depots", "crees"]],
  ["ＦＵＬＬ width", ["full", "width"]],
  ["Поиск файлов", ["поиск", "фаилов"]],
  ["查找文件", ["查找", "找文", "文件"]],
  ["Gitのissueを作成", ["git", "issue", "の", "を作", "作成"]],
  ["서버 목록", ["서버", "목록"]],
  ["what is it for?", []],
  ["", []],
  ["__proto__ constructor", ["proto", "constructor"]],
  ["\ud800 lone", ["lone"]],
])("the words of %j are %j", (text, expected) => {
  expect(words(text)).toEqual(expected);
});

test.each([
  ["create_pull_request", ["create", "pull", "request"]],
  ["CreateIssue", ["createissue", "create", "issue"]],
  ["listDNSRecords", ["listdnsrecords", "list", "dns", "records"]],
  ["list-PDFs", ["list", "pdfs"]],
  ["what_is_new", ["what", "is", "new"]],
  ["s3.getObject", ["s3", "getobject", "get", "object"]],
])("the words of the name %s are %j", (name, expected) => {
  expect(nameWords(name)).toEqual(expected);
});

test("a word of 100 KB is a short one", () => {
  expect(words("x".repeat(100_000))).toEqual(["x".repeat(40)]);
});

test("English words of one family have one stem, others are their own", () => {
  expect(["queries", "query", "querying"].map(stem)).toEqual(["queri", "queri", "queri"]);
  expect(["créer", "文件", "k8s"].map(stem)).toEqual(["créer", "文件", "k8s"]);
});

test.each([
  ["maxResults", "maxresults"],
  ["max_results", "maxresults"],
  ["max--Results_2", "maxresults2"],
  ["listDNSRecords", "listdnsrecords"],
  ["results", undefined],
  ["DNS", undefined],
  ["_max_results", undefined],
  ["max_results_", undefined],
  ["max results", undefined],
  ["", undefined],
])("the joined form of %j is %j", (name, expected) => {
  expect(joined(name)).toBe(expected);
});

test("a name of many capitals is joined, or not, in a moment", { timeout: 10_000 }, () => {
  expect(joined(`${"aA".repeat(30_000)}_`)).toBeUndefined();
  expect(joined("aA".repeat(30_000))).toBe("aa".repeat(20));
});
