import { describe, expect, test } from "vitest";
import { type AnswerGauge, createBodyGauge, createEventGauge } from "./answer-gauge.ts";

const megabyte = 1024 * 1024;

/** Why it is refused, if it is; in pieces of so many bytes. */
function judge(gauge: AnswerGauge, text: string, size = 64 * 1024): string | undefined {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) {
    const why = gauge.push(bytes.subarray(at, at + size));
    if (why !== undefined) return why.message.replace(/ in one answer.*/, "");
  }
  return undefined;
}

const lists = `[${"[],".repeat(1_100_000)}0]`;

describe("a body", () => {
  test.each([
    ["68 MB of text", "x".repeat(68 * megabyte), undefined],
    ["more", "x".repeat(68 * megabyte + 1), "more than 68 MB"],
    ["a million lists", lists, "more than 2,000,000 values"],
    ["a million lists in a text", JSON.stringify(lists), undefined],
    ["40,000 levels", "[".repeat(40_000), undefined],
    ["70,000 levels", "[".repeat(70_000), "more than 512 levels"],
  ])("of %s: %#", (_name, text, expected) => {
    expect(judge(createBodyGauge(), text)).toBe(expected);
  });
});

describe("an event stream", () => {
  test.each([
    ["one event of 60 MB", `data: ${"x".repeat(60 * megabyte)}\n\n`, undefined],
    ["one event of 69 MB", `data: ${"x".repeat(69 * megabyte)}\n\n`, "more than 68 MB"],
    ["a line without an end", `: ${"x".repeat(69 * megabyte)}`, "more than 68 MB"],
    ["very many values", `event: message\ndata: ${lists}\n\n`, "more than 2,000,000 values"],
    [
      "very many values on many lines",
      `data: ${lists.replaceAll("[],[],[],", "[],[],[],\ndata:")}\n\n`,
      "more than 2,000,000 values",
    ],
    ["quotes in other fields", `id: "\n: "\ndata: ${lists}\n\n`, "more than 2,000,000 values"],
    ["a mark before it", `\ufeffdata: ${lists}\n\n`, "more than 2,000,000 values"],
    ["very many short lines", "data:\n".repeat(2_000_000), /^more than 1,0\d\d,\d{3} lines$/],
    ["very many lines that end as on old Macs", "data: x\r".repeat(2_000_000), /lines$/],
    ["very many lines of two marks", "data: x\r\n".repeat(2_000_000), /lines$/],
    ["blank lines alone", "\n".repeat(2_000_000), undefined],
  ])("of %s", (_name, text, expected) => {
    const why = judge(createEventGauge(), text);
    if (expected instanceof RegExp) expect(why).toMatch(expected);
    else expect(why).toBe(expected);
  });

  test.each(["\n", "\r", "\r\n"])("may go on for ever, wherever it is cut: events end with %j", (end) => {
    const event = `id: 1${end}data: {"a":[${"1,".repeat(2000)}1]}${end}${end}`;
    for (const size of [1, 2, 3, 5, 64 * 1024]) {
      const gauge = createEventGauge();
      const text = event.repeat(size < 64 ? 20 : 18_000);
      expect([size, judge(gauge, text, size)]).toEqual([size, undefined]);
    }
  });
});
