import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { searchTable } from "./search-table.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("the table is kept as long as somebody searches, and read again later", () => {
  const table = searchTable();
  for (let minute = 0; minute < 5; minute++) {
    vi.advanceTimersByTime(60_000);
    expect(searchTable()).toBe(table);
  }
  vi.advanceTimersByTime(4 * 60_000);
  const again = searchTable();
  expect(again).not.toBe(table);
  expect(again.of("read a file")).toEqual(table.of("read a file"));
});
