import { expect, test } from "vitest";
import type { Checker } from "../compiled.ts";
import { createSharedChecker } from "./shared-checker.ts";

/** Checks that end when the test says so, each known by its source. */
function createCheckers() {
  const open = new Map<string, () => void>();
  const used: number[] = [];
  const disposed: number[] = [];
  let made = 0;
  const create = (): Checker => {
    const number = ++made;
    return {
      check: (source) =>
        new Promise((resolve) => {
          used.push(number);
          open.set(source, () => resolve([]));
          if (source === "quick") resolve([]);
        }),
      stop: async () => {},
      [Symbol.asyncDispose]: async () => void disposed.push(number),
    };
  };
  return { create, open, used, disposed, made: () => made };
}

test("quick checks share one checker", async () => {
  const { create, made } = createCheckers();
  const shared = createSharedChecker(create);
  await Promise.all(Array.from({ length: 20 }, () => shared.check("quick", [])));
  expect(made()).toBe(1);
});

test("a line of checks that moves on has one checker, however long it is", async () => {
  const { create, open, made } = createCheckers();
  const shared = createSharedChecker(create);
  const names = ["a", "b", "c", "d", "e"];
  const checks = names.map((name) => shared.check(name, []));
  for (const name of names) {
    await new Promise((resolve) => setTimeout(resolve, 120));
    open.get(name)?.();
  }
  await Promise.all(checks);
  expect(made()).toBe(1);
});

test("a slow check does not hold up others, and what was started for them is stopped", async () => {
  const { create, open, used, disposed } = createCheckers();
  const shared = createSharedChecker(create);
  const slow = shared.check("slow", []);
  await shared.check("quick", []);
  expect([used, disposed]).toEqual([[1, 2], [2]]);
  await shared.check("quick", []);
  expect(used).toEqual([1, 2, 3]);
  open.get("slow")?.();
  await slow;
  await shared.check("quick", []);
  expect(used).toEqual([1, 2, 3, 1]);
});

test("there are never more than four, and the rest wait for their turn", async () => {
  const { create, open, made } = createCheckers();
  const shared = createSharedChecker(create);
  const names = ["a", "b", "c", "d"];
  const slow = names.map((name) => shared.check(name, []));
  const last = shared.check("quick", []);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect([made(), [...open.keys()]]).toEqual([4, names]);
  open.get("c")?.();
  await last;
  for (const name of names) open.get(name)?.();
  await Promise.all(slow);
  expect(made()).toBe(4);
});
