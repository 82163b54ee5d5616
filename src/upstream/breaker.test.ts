import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Breaker } from "./breaker.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function lose(breaker: Breaker, times: number): void {
  for (let count = 0; count < times; count++) {
    breaker.begin()("ill");
    vi.advanceTimersByTime(1);
  }
}

const farAhead = 60_000;

describe("calls that bring nothing", () => {
  test("five in a row open it, four do not", () => {
    const breaker = new Breaker();
    lose(breaker, 4);
    expect([breaker.isOpen, breaker.refusedMs]).toEqual([false, 0]);
    lose(breaker, 1);
    expect(breaker.isOpen).toBe(true);
    expect(breaker.refusedMs).toBeGreaterThan(1000);
  });

  test("an answer in between starts the count again", () => {
    const breaker = new Breaker();
    lose(breaker, 4);
    breaker.begin()("well");
    lose(breaker, 4);
    expect(breaker.isOpen).toBe(false);
  });

  test("those that one crash took along count once", () => {
    const breaker = new Breaker();
    const calls = Array.from({ length: 20 }, () => breaker.begin());
    vi.advanceTimersByTime(1);
    for (const end of calls) end("ill");
    expect(breaker.failures).toBe(1);
  });

  test("cancelled ones do not count (F18)", () => {
    const breaker = new Breaker();
    for (let count = 0; count < 20; count++) breaker.begin()("neither");
    expect(breaker.failures).toBe(0);
  });
});

describe("an open breaker (F17)", () => {
  function opened(): Breaker {
    const breaker = new Breaker();
    lose(breaker, 5);
    vi.advanceTimersByTime(farAhead);
    return breaker;
  }

  test("lets one call through when its rest is over, and refuses the others meanwhile", () => {
    const breaker = opened();
    expect(breaker.refusedMs).toBe(0);
    const end = breaker.begin();
    expect(breaker.refusedMs).toBeGreaterThan(0);
    end("well");
    expect([breaker.isOpen, breaker.refusedMs]).toEqual([false, 0]);
  });

  test("rests longer when that call brings nothing either", () => {
    const breaker = opened();
    breaker.begin()("ill");
    expect(breaker.isOpen).toBe(true);
    expect(breaker.restMs).toBeGreaterThan(3000);
  });

  test("lets the next one through when that call was cancelled", () => {
    const breaker = opened();
    breaker.begin()("neither");
    expect([breaker.isOpen, breaker.refusedMs]).toEqual([true, 0]);
  });
});

test("a clock that is set back or forth neither ends a rest nor makes it longer (F38)", () => {
  const breaker = new Breaker();
  breaker.rest(1000);
  vi.setSystemTime(Date.now() + 3_600_000);
  expect(breaker.refusedMs).toBeGreaterThan(0);
  vi.setSystemTime(Date.now() - 7_200_000);
  expect(breaker.refusedMs).toBeLessThanOrEqual(1000);
});
