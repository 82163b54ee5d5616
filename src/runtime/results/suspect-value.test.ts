import { expect, test } from "vitest";
import { errorInValue } from "./suspect-value.ts";

test.each([
  [{ error: "fetch failed" }, "fetch failed"],
  [{ error: { code: 404, message: "Not found" } }, "Not found"],
  [{ error: { code: 404 } }, '{"code":404}'],
  [{ ok: false, error: "channel_not_found" }, "channel_not_found"],
  [{ success: false, message: "No such table" }, "No such table"],
  [{ status: "error", message: "No such table" }, "No such table"],
  [{ data: null, error: { message: "denied", hint: "sign in" } }, "denied"],
  [{ errors: [{ message: "Unknown field" }] }, "Unknown field"],
  [{ error: true, message: "down" }, "down"],
  ["Error: no such file", "Error: no such file"],
  ["Error executing tool read: boom", "Error executing tool read: boom"],
  [{ result: "Error: no such file" }, "Error: no such file"],
  [{ result: { error: "boom" } }, "boom"],
  [{ error: `\u001b[31m${"x".repeat(300)}` }, `${"x".repeat(199)}…`],
])("%j is nothing but an error", (value, message) => {
  const json = JSON.stringify(value);
  expect([errorInValue({ value: json }), typeof value === "string" || errorInValue({ text: json })]).toEqual([
    message,
    typeof value === "string" || message,
  ]);
});

test.each([
  [{ error: "partial", rows: [1] }],
  [{ error: null, id: 3 }],
  [{ error: "" }],
  [{ error: false }],
  [{ errors: [] }],
  [{ ok: true }],
  [{ success: true, message: "posted" }],
  [{ success: false }],
  [{ message: "hello" }],
  [{ status: "ok", message: "hello" }],
  [{ status: 404, message: "hello" }],
  [{ result: "fine" }],
  [{ result: { id: 1 }, error: "late" }],
  [["Error: x"]],
  ["errors are listed below"],
  ["An Error: x"],
  [{ error: "x".repeat(5000) }],
  [null],
  [1],
])("%j is a value", (value) => {
  expect(errorInValue({ value: JSON.stringify(value) })).toBeUndefined();
});

test("a text that is a dict of Python is looked at too", () => {
  expect(errorInValue({ text: "{'error': 'no such table', 'code': 1}" })).toBe("no such table");
});
