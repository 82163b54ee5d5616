import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createLibrary } from "../library.ts";
import { matchPattern } from "../pattern.ts";
import type { Library } from "../tool.ts";
import { type Search, createSearch as searchIn } from "./search.ts";
import { readWordVectors } from "./word-vectors.ts";

const table = readWordVectors(readFileSync(new URL("../../../data/search-table.bin", import.meta.url)));
const createSearch = (libraries: readonly Library[]): Search => searchIn(libraries, () => table);

function library(name: string, description: string, tools: Record<string, string>): Library {
  const raw = Object.entries(tools).map(([name, description]) => ({ name, description }));
  return createLibrary({ name, description }, { tools: raw }, name).library;
}

const tracker = library("tracker", "issues and code review", {
  create_issue: "Create a new issue in a project",
  list_issues: "List the issues of a project",
  close_issue: "Close an issue",
  add_comment: "Add a comment to an issue or a review",
  create_review: "Start a review of a change",
  find_people: "Search for people by name or email",
});
const files = library("files", "the local disk", {
  read_file: "Read the complete contents of a file as text",
  write_file: "Write text to a file and replace what was there",
  move_file: "Move or rename a file or a directory",
  make_directory: "Make a directory and those above it",
  delete_file: "Delete a file for good",
  search_files: "Find files whose names match a pattern",
});
const browser = library("browser", "", {
  take_screenshot: "Take a picture of the page or of one element",
  navigate: "Go to an address",
  click: "Click an element of the page",
  evaluate_script: "Run JavaScript in the page",
});
const international = library("wiki", "", { 查找文件: "在知识库中查找文件", "créer-page": "Crée une page" });
const libraries = [tracker, files, browser, international];
const all = createSearch(libraries);

function found(query: string, options: Parameters<Search["search"]>[1] = {}, search = all): string[] {
  return search.search(query, options).results.map(({ library, tool }) => `${library.server}.${tool.name}`);
}

test.each([
  ["create_issue", "tracker.create_issue"],
  ["tracker.create_review", "tracker.create_review"],
  ["files/read_file", "files.read_file"],
  ["files move_file", "files.move_file"],
  ["move file", "files.move_file"],
  ["I want to use close_issue on the issue list", "tracker.close_issue"],
  ["open a ticket", "tracker.create_issue"],
  ["show me all the bugs", "tracker.list_issues"],
  ["remove a file", "files.delete_file"],
  ["How can I rename a folder?", "files.move_file"],
  ["make a folder", "files.make_directory"],
  ["screen shot", "browser.take_screenshot"],
  ["screnshot", "browser.take_screenshot"],
  ["xcreenshot", "browser.take_screenshot"],
  ["execute some javascript", "browser.evaluate_script"],
  ["go to url", "browser.navigate"],
  ["commenting", "tracker.add_comment"],
  ["who has this email", "tracker.find_people"],
  ["查找文件", "wiki.查找文件"],
  ["文件", "wiki.查找文件"],
  ["creer une page", "wiki.créer-page"],
  ["eine Datei lesen", "files.read_file"],
  ["borrar un archivo", "files.delete_file"],
  ["supprimer le fichier", "files.delete_file"],
  ["スクリーンショット", "browser.take_screenshot"],
  ["移动目录", "files.move_file"],
])("the first answer to %j is %s", (query, first) => {
  expect(found(query)[0]).toBe(first);
});

test.each([
  "",
  "   ",
  "?!*",
  "qwertz yxcvb",
  "constructor",
  "__proto__",
  "\ud800",
  "\u001b[31m",
  "x".repeat(1_000_000),
])("%.20j finds nothing", (query) => {
  expect(all.search(query)).toMatchObject({ results: [], total: 0, also: [] });
});

test.each(['" OR 1=1 --', "NEAR(file", "file* AND (", "^file:~2", "file\u0000"])("%j is words, not syntax", (query) => {
  expect(() => found(query)).not.toThrow();
});

test.each([
  ["weather forecast for a city", "assistant.tool_1"],
  ["cancel my alarm", "assistant.tool_2"],
  ["approve a leave request", "assistant.tool_3"],
  ["what is the exchange rate of two currencies", "assistant.tool_4"],
])("%j finds a tool that is described in Chinese alone", (query, tool) => {
  const assistant = library("assistant", "", {
    tool_1: "查询指定城市的天气预报",
    tool_2: "取消用户设置的闹钟",
    tool_3: "审批员工提交的请假申请",
    tool_4: "获取两种货币之间的实时汇率",
    tool_5: "在文档中插入表格",
  });
  expect(found(query, {}, createSearch([...libraries, assistant]))[0]).toBe(tool);
});

test.each([
  ["搜寻人员", "tracker.find_people"],
  ["关掉缺陷", "tracker.close_issue"],
  ["截屏", "browser.take_screenshot"],
])("%j finds a tool that is described in English", (query, tool) => {
  expect(found(query, {}, createSearch([tracker, files, browser]))[0]).toBe(tool);
});

test("a request in Chinese is no weak one for a tool that is described so", () => {
  const assistant = library("assistant", "", { tool_1: "取消用户设置的闹钟", tool_2: "预订会议室" });
  const { results, isWeak } = createSearch([...libraries, assistant]).search("取消闹钟");
  expect([results[0]?.tool.name, isWeak]).toEqual(["tool_1", false]);
});

test("one server can be searched alone, by its name or module", () => {
  const dashed = { ...files, server: "my-files", module: "my_files" };
  const search = createSearch([tracker, dashed]);
  expect(found("create", { server: "tracker" }, search)).not.toContain("my-files.make_directory");
  expect(found("file", { server: "my-files" }, search)).toEqual(found("file", { server: "my_files" }, search));
  expect(found("file", { server: "unknown" }, search)).toEqual([]);
});

test("the limit cuts the results and not the total", () => {
  const { results, total } = all.search("file", { limit: 2 });
  expect(results.length).toBe(2);
  expect(total).toBe(all.search("file", { limit: 100 }).results.length);
  expect(total).toBeGreaterThan(2);
});

test("what fits far worse than the best is left out", () => {
  const search = createSearch([
    library("mail", "", { send_email: "Send an email to people" }),
    library("notes", "", {
      add_note: "Keep a note. It has a title, a text, tags, a colour and people that may see it",
    }),
  ]);
  expect(found("people", {}, search)).toEqual(["mail.send_email", "notes.add_note"]);
  expect(found("send an email to people", {}, search)).toEqual(["mail.send_email"]);
});

test("a tool that is called by a name of meaningless words is found", () => {
  const search = createSearch([files, library("odd", "", { what_is_this: "", "do-it": "" })]);
  expect(found("what_is_this", {}, search)).toEqual(["odd.what_is_this"]);
  expect(found("read the complete contents of a file with do-it", {}, search)[0]).toBe("odd.do-it");
});

test("a tool that answers all of the query comes before one that answers a part of it well", () => {
  const others = Object.fromEntries(Array.from({ length: 18 }, (_, number) => [`other_${number}`, "Something else"]));
  const paint = library("paint", "", {
    red: "Red",
    mix: "Mixes the colours of a picture. It knows red, green and blue.",
  });
  expect(found("red green blue", {}, createSearch([library("others", "", others), paint]))).toEqual([
    "paint.mix",
    "paint.red",
  ]);
});

test("a rare word counts much although its synonyms are common", () => {
  const common = Array.from({ length: 20 }, (_, number) => [`search_${"abcdefghijklmnopqrst".charAt(number)}`, ""]);
  const rare = library("rare", "", { lookup_address: "", export_report: "", send_report: "", print_report: "" });
  const search = createSearch([library("common", "", Object.fromEntries(common)), rare]);
  expect(found("lookup report", {}, search)[0]).toBe("rare.lookup_address");
});

test("what follows after 1,000 characters of a query is not read", () => {
  expect(found(`${" ".repeat(988)}create_issue`)[0]).toBe("tracker.create_issue");
  expect(found(`${" ".repeat(1_000)}create_issue`)).toEqual([]);
});

test("a whole name of a parameter counts more than its words elsewhere", () => {
  const tool = (name: string, ...parameters: string[]) => ({
    name,
    description: "",
    inputSchema: { properties: Object.fromEntries(parameters.map((parameter) => [parameter, {}])) },
  });
  const tools = [
    tool("network_conditions_list"),
    tool("emulate", "cpu", "networkConditions"),
    tool("merge", "merge_method"),
  ];
  const { library: one } = createLibrary({ name: "one" }, { tools }, "one");
  const search = createSearch([one, ...libraries]);
  expect(found("networkConditions of the page", {}, search).slice(0, 3)).toContain("one.emulate");
  expect(found("network_conditions", {}, search)).toContain("one.emulate");
  expect(found("mergeMethod", {}, search)[0]).toBe("one.merge");
});

test("scores fall from the first result to the last", () => {
  const scores = all.search("create a review of a file").results.map(({ score }) => score);
  expect(scores).toEqual(scores.toSorted((left, right) => right - left));
});

test("equal tools are in the order of the servers, then of their names", () => {
  const twin = (name: string) => library(name, "", { ping_b: "Ping it", ping_a: "Ping it" });
  const search = createSearch([twin("zeta"), twin("alpha")]);
  expect(found("ping", {}, search)).toEqual(["zeta.ping_a", "zeta.ping_b", "alpha.ping_a", "alpha.ping_b"]);
});

test("a server stuffed with words and copies does not hide the others", () => {
  const stuffing = "create issue list file read write search screenshot review move delete comment page";
  const copies = Array.from({ length: 300 }, (_, number) => [`${stuffing.replaceAll(" ", "_")}_${number}`, stuffing]);
  const pairs = Array.from({ length: 300 }, (_, number) => {
    const words = stuffing.split(" ");
    return [`${words[number % 13]}_${words[(number * 7 + 1) % 13]}_${number}`, `Best tool to ${stuffing}`];
  });
  const spam = [
    library("spam", stuffing, Object.fromEntries(copies)),
    library("junk", stuffing, Object.fromEntries(pairs)),
  ];
  const search = createSearch([...spam, ...libraries]);
  expect(found("create an issue", { limit: 5 }, search)).toContain("tracker.create_issue");
  expect(found("read a file", { limit: 5 }, search)).toContain("files.read_file");
  expect(found("take a screenshot", { limit: 5 }, search)).toContain("browser.take_screenshot");
});

test("a crowd of equal tools leaves room for other servers", () => {
  const names = Array.from({ length: 50 }, (_, number) => [`report_${number}`, "Make a report"]);
  const other = library("other", "", { yearly: "Sends the report of the year to somebody" });
  const search = createSearch([library("crowd", "", Object.fromEntries(names)), other]);
  const servers = found("report", { limit: 20 }, search).map((name) => name.split(".")[0]);
  expect(servers).toEqual([...Array.from({ length: 19 }, () => "crowd"), "other"]);
});

test("a search over no libraries finds nothing", () => {
  expect(createSearch([]).search("file")).toMatchObject({ results: [], total: 0, also: [] });
});

test.each([
  ["/^files\\.rea/", "files.read_file"],
  ["/NAV.*gate/", "browser.navigate"],
  ["/replace what/", "files.write_file"],
])("the pattern %s finds %s", async (query, name) => {
  const { results } = await all.find(query, async (pattern, texts) => matchPattern(pattern, texts), { limit: 1 });
  expect(results.map(({ library, tool }) => `${library.server}.${tool.name}`)).toEqual([name]);
});
