import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createPausableTimers } from "./pausable-timers.ts";

/** By the clock of the tests. */
const delay = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("stands still while something is asked, and goes on with what was left", async () => {
  const timers = createPausableTimers();
  const onEnd = vi.fn();
  timers.start(1000, onEnd);
  await vi.advanceTimersByTimeAsync(600);
  const question = timers.pauseDuring(delay(5000));
  await vi.advanceTimersByTimeAsync(5000);
  await question;
  expect(onEnd).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(399);
  expect(onEnd).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2);
  expect(onEnd).toHaveBeenCalledOnce();
});

it("goes on only when the last of several questions is answered", async () => {
  const timers = createPausableTimers();
  const onEnd = vi.fn();
  const questions = [timers.pauseDuring(delay(100)), timers.pauseDuring(delay(3000))];
  timers.start(500, onEnd);
  await vi.advanceTimersByTimeAsync(3000);
  await Promise.all(questions);
  expect(onEnd).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(500);
  expect(onEnd).toHaveBeenCalledOnce();
});

it("does not stand still for ever", async () => {
  const timers = createPausableTimers(10_000);
  const onEnd = vi.fn();
  timers.start(1000, onEnd);
  for (let count = 0; count < 3; count++) {
    const question = timers.pauseDuring(delay(6000));
    await vi.advanceTimersByTimeAsync(6000);
    await question;
  }
  expect(onEnd).toHaveBeenCalledOnce();
});

it("can be stopped, also while it stands still", async () => {
  const timers = createPausableTimers();
  const onEnd = vi.fn();
  const stop = timers.start(100, onEnd);
  const question = timers.pauseDuring(delay(50));
  stop();
  await vi.advanceTimersByTimeAsync(1000);
  await question;
  expect(onEnd).not.toHaveBeenCalled();
});
