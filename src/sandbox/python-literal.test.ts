import { expect, test } from "vitest";
import { pythonTexts } from "./python-literal.fixture.ts";
import { jsonOfPythonLiteral } from "./python-literal.ts";

test.each(pythonTexts.map(([text, value]) => ({ text, value })))("$text", ({ text, value }) => {
  const json = jsonOfPythonLiteral(text);
  expect(json === undefined ? undefined : JSON.parse(json)).toEqual(value);
});

test("a long text takes no longer than its length asks for, however it ends", () => {
  const rows = "{'id': 'C0001', 'note': 'it\\'s \"x\"', 'none': None}, ".repeat(100_000);
  expect(JSON.parse(jsonOfPythonLiteral(`[${rows}]`) ?? "[]")).toHaveLength(100_000);
  expect(jsonOfPythonLiteral(`[${rows}nan]`)).toBeUndefined();
  expect(jsonOfPythonLiteral(`['${"\\'".repeat(2_000_000)}]`)).toBeUndefined();
});
