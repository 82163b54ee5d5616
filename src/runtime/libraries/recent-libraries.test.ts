import { expect, test } from "vitest";
import { createRecentLibraries } from "./recent-libraries.ts";

const libraryOf = (count: number) => ({
  tools: new Map(Array.from({ length: count }, (_, number) => [`tool_${number}`, {}])),
});

test("those that were not used for the longest time go when there are too many tools", () => {
  const recent = createRecentLibraries();
  for (const server of ["a", "b", "c"]) recent.set(server, libraryOf(1500));
  recent.get("a");
  recent.set("d", libraryOf(1500));
  expect(["a", "b", "c", "d"].filter((server) => recent.get(server))).toEqual(["a", "c", "d"]);
  recent.set("c", libraryOf(100));
  recent.set("e", libraryOf(1500));
  expect(["a", "c", "d", "e"].filter((server) => recent.get(server))).toEqual(["a", "c", "d", "e"]);
});

test("the last one stays, however large it is, and what was taken out is gone", () => {
  const recent = createRecentLibraries();
  recent.set("small", libraryOf(1));
  recent.set("large", libraryOf(6000));
  expect([recent.get("small"), recent.get("large")?.tools.size]).toEqual([undefined, 6000]);
  recent.delete("large");
  recent.set("small", libraryOf(1));
  expect([recent.get("small")?.tools.size, recent.get("large")]).toEqual([1, undefined]);
});
