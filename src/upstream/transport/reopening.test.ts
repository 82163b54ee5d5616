import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createReopening } from "./reopening.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => void vi.useRealTimers());

/** The waits after streams that lived for so long, of a server that asks for `askedMs`. */
function waits(livedMs: readonly number[], askedMs: number, longestMs = 30_000): number[] {
  const streams = createReopening(longestMs);
  return livedMs.map((lived) => {
    streams.onOpen();
    vi.advanceTimersByTime(lived);
    return streams.delay(askedMs);
  });
}

test.each([
  ["is waited for longer and longer", waits, Array(8).fill(0), 0, [0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]],
  ["is waited for as long as it asks", waits, [0, 0, 0, 0], 2500, [2500, 2500, 2500, 4000]],
  ["has a new start when one has lived for a while", waits, [0, 0, 0, 6000, 0, 0], 0, [0, 1000, 2000, 0, 0, 1000]],
  ["is not waited for until a timer overflows", waits, [0], 1e12, [3_600_000]],
])("a server whose streams end at once %s", (_name, run, lived, asked, expected) => {
  expect(run(lived, asked)).toEqual(expected);
});

test("no wait grows above the longest", () => {
  expect(waits([0, 0, 0, 0], 0, 1000)).toEqual([0, 1000, 1000, 1000]);
});
