import { expect, test } from "vitest";
import { decodeSnapshot, encodeSnapshot, restoreSnapshot } from "./snapshot.ts";

const page = 4096;

function memoryWith(pages: Record<number, number>, count = 8): Uint8Array {
  const memory = new Uint8Array(count * page);
  for (const [index, byte] of Object.entries(pages)) memory[Number(index) * page + 17] = byte;
  return memory;
}

test("keeps the pages that are not empty and knows where they lie", () => {
  const bytes = encodeSnapshot(memoryWith({ 1: 5, 2: 6, 6: 7 }), { version: "1.2.3", trampoline: "00ff" });
  const { header, pages } = decodeSnapshot(bytes);
  expect(header).toEqual({
    version: "1.2.3",
    trampoline: "00ff",
    memoryBytes: 8 * page,
    runs: [
      [1, 2],
      [6, 1],
    ],
  });
  expect(pages.length).toBe(3 * page);
});

test("makes memory what it was, and clears what was written since, also where memory has grown", () => {
  const before = memoryWith({ 0: 1, 3: 2 });
  const snapshot = decodeSnapshot(encodeSnapshot(before, { version: "", trampoline: "" }));
  const dirty = memoryWith({ 0: 9, 1: 9, 3: 8, 7: 9, 9: 9 }, 10);
  restoreSnapshot(snapshot, dirty);
  expect(dirty).toEqual(memoryWith({ 0: 1, 3: 2 }, 10));
});
