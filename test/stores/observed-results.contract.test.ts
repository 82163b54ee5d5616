import { afterEach, describe, expect, test, vi } from "vitest";
import type { ObservedResults } from "../../src/runtime/libraries/observed-results.ts";
import { createObservedInMemory } from "./in-memory/observed-results.ts";
import { openStores } from "./open-stores.ts";

// Every store of what results looked like keeps to this.

afterEach(() => vi.useRealTimers());

const implementations: [string, () => ObservedResults][] = [
  ["sqlite", () => openStores()().observed],
  ["in memory", createObservedInMemory],
];

describe.each(implementations)("what results looked like, %s", (_implementation, open) => {
  test("each change is given what is kept, and its answer takes the place of that", async () => {
    const observed = open();
    const seen: unknown[] = [];
    for (const shape of [{ n: 1 }, ["two"], null]) {
      await observed.change("server", "tool", (known) => {
        seen.push(known);
        return { shape };
      });
    }
    expect(seen).toEqual([undefined, { n: 1 }, ["two"]]);
    expect(await observed.shapeOf("server", "tool")).toBeNull();
    expect(await observed.of("server")).toEqual(new Map([["tool", { shape: null }]]));
  });

  test("of many changes at once none is lost", async () => {
    const observed = open();
    const more = (known: unknown) => ({ shape: [...(Array.isArray(known) ? known : []), "one more"] });
    await Promise.all(Array.from({ length: 10 }, () => observed.change("server", "tool", more)));
    expect(await observed.shapeOf("server", "tool")).toHaveLength(10);
  });

  test("servers and tools stay apart", async () => {
    const observed = open();
    await observed.change("server", "one", () => ({ shape: 1 }));
    await observed.change("server", "__proto__", () => ({ shape: 2 }));
    await observed.change("other", "one", () => ({ shape: 3 }));
    expect([...(await observed.of("server")).keys()].sort()).toEqual(["__proto__", "one"]);
    expect([await observed.shapeOf("server", "one"), await observed.shapeOf("other", "one")]).toEqual([1, 3]);
    expect([await observed.shapeOf("server", "none"), await observed.of("none")]).toEqual([undefined, new Map()]);
  });

  test("the last drift stays known until the next", async () => {
    vi.useFakeTimers({ now: 0, toFake: ["Date"] });
    const observed = open();
    const kept: unknown[] = [];
    for (const [round, drift] of [undefined, "a is new", undefined, "b is new", undefined].entries()) {
      vi.setSystemTime(round);
      await observed.change("server", "tool", () => ({ shape: 1, drift }));
      kept.push((await observed.of("server")).get("tool")?.drift);
    }
    const [first, second] = [
      { at: 1, text: "a is new" },
      { at: 3, text: "b is new" },
    ];
    expect(kept).toEqual([undefined, first, first, second, second]);
  });

  test("a change that throws leaves what was there", async () => {
    const observed = open();
    await observed.change("server", "tool", () => ({ shape: 1 }));
    const failing = observed.change("server", "tool", () => {
      throw new Error("second thoughts");
    });
    await expect(failing).rejects.toThrow("second thoughts");
    expect(await observed.of("server")).toEqual(new Map([["tool", { shape: 1 }]]));
  });
});
