import { expect, test } from "vitest";
import { retryAfter } from "./retry-after.ts";

const asked = (status: number, value?: string) =>
  retryAfter(new Response("", { status, headers: value === undefined ? {} : { "retry-after": value } }));

test.each([
  [429, "2", 2000],
  [503, " 0 ", 0],
  [503, "86400", 60_000],
  [429, "Thu, 01 Jan 1970 00:00:00 GMT", 0],
  [429, "soon", undefined],
  [429, undefined, undefined],
  [500, "2", undefined],
])("HTTP %i with Retry-After %j is a pause of %j ms (F35)", (status, value, ms) => {
  expect(asked(status, value)).toBe(ms);
});

test("a date that is far away is a minute", () => {
  expect(asked(429, new Date(Date.now() + 3_600_000).toUTCString())).toBe(60_000);
});
