import { expect, it } from "vitest";
import { createParkedCallMemory } from "./parked-call-store.ts";

// Every store of parked calls keeps to this.

const call = { fingerprint: "f", characters: 10 };

it("gives a call to one taker, who knows its fingerprint", async () => {
  const store = createParkedCallMemory();
  expect(await store.park("a", call)).toBe(true);
  expect([await store.take("a", "g"), await store.take("b", "f"), await store.size()]).toEqual([false, false, 1]);
  const taken = await Promise.all([store.take("a", "f"), store.take("a", "f")]);
  expect([taken.toSorted(), await store.size()]).toEqual([[false, true], 0]);
});

it.each([
  ["calls", { most: 2 }],
  ["characters", { mostCharacters: 25 }],
])("keeps so many %s and no more", async (_what, limits) => {
  const store = createParkedCallMemory(limits);
  expect([await store.park("a", call), await store.park("b", call), await store.park("c", call)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([await store.size(), await store.take("c", "f")]).toEqual([2, false]);
  await store.take("a", "f");
  expect(await store.park("c", call)).toBe(true);
});
