import { expect, test } from "vitest";
import { sinceOf } from "./since.ts";

const now = Date.UTC(2026, 0, 31, 12);

test.each([
  ["30m", "2026-01-31T11:30:00.000Z"],
  ["12h", "2026-01-31T00:00:00.000Z"],
  ["7d", "2026-01-24T12:00:00.000Z"],
  ["2w", "2026-01-17T12:00:00.000Z"],
  ["2026-01-01", "2026-01-01T00:00:00.000Z"],
  ["2026-01-01T10:00:00Z", "2026-01-01T10:00:00.000Z"],
])("%s is a moment", (text, moment) => expect(new Date(sinceOf(text, now)).toISOString()).toBe(moment));

test.each(["", "7", "7 days", "-7d", "7y", "yesterday", "2026-99-99"])(
  "%j is refused with what can be written",
  (text) => {
    expect(() => sinceOf(text, now)).toThrow(expect.objectContaining({ code: "input_invalid" }));
  },
);
