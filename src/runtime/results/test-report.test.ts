import { expect, test } from "vitest";
import { isTestReport, readTestReport } from "./test-report.ts";

const code = { compiled: { code: "", imports: [], declared: [] }, linked: { modules: [], links: [], names: [] } };

test("tests that passed are a result, with a line each", () => {
  const tests = [
    { name: "a", status: "passed", ms: 1.5 },
    { name: "b", status: "skipped", ms: 0 },
  ];
  const { status, value, text, error } = readTestReport({ tests }, code);
  expect({ status, value, text, error }).toEqual({
    status: "ok",
    value: { passed: 1, failed: 0, skipped: 1, tests },
    text: "ok    a (1.5 ms)\nskip  b\n1 passed, 0 failed, 1 skipped\n",
    error: undefined,
  });
  expect(isTestReport(value)).toBe(true);
});

test("a failure is told with its message and line, without what a terminal would obey", () => {
  const failed = {
    name: "c\nd",
    status: "failed",
    ms: 2,
    error: {
      name: "AssertionError",
      message: "\u001b[31m1 !== 2\u001b[0m\nmore",
      line: 7,
      stack: "line 7\n./fib.py:2 in fib",
    },
  };
  const { status, error, text } = readTestReport({ tests: [failed] }, code);
  expect({ status, error, text }).toEqual({
    status: "error",
    error: { code: "tests_failed", message: "1 of 1 tests failed", line: 7 },
    text: "FAIL  c d (2 ms), line 7\n      AssertionError: 1 !== 2\n      more\n      (./fib.py:2 in fib)\n0 passed, 1 failed\n",
  });
});

test("no tests, and what is not a report, are failures", () => {
  expect(readTestReport({ tests: [] }, code)).toMatchObject({ status: "error", error: { code: "tests_failed" } });
  for (const value of [undefined, null, "ok", { tests: "all" }, { tests: [{ name: 1 }] }]) {
    expect(readTestReport(value, code)).toMatchObject({
      status: "error",
      error: { code: "tests_failed", message: expect.stringContaining("was lost") },
    });
  }
});
