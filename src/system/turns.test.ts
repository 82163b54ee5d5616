import { setImmediate as tick } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type PlaceInLine, Turns } from "./turns.ts";

/** Enters, and notes the name when its turn comes. */
function enter(turns: Turns, caller: string, began: string[], name = caller): PlaceInLine {
  const place = turns.enter(caller);
  if (place === undefined) throw new Error("refused");
  if (place.turn === undefined) began.push(name);
  else void place.turn.then(() => began.push(name));
  return place;
}

describe("at most so many calls are in flight", () => {
  test("and the next begins when one ends", async () => {
    const turns = new Turns({ most: 2 });
    const began: string[] = [];
    const [first] = ["a", "b", "c"].map((name) => enter(turns, "one", began, name));
    await tick();
    expect(began).toEqual(["a", "b"]);
    first?.leave();
    first?.leave();
    await tick();
    expect(began).toEqual(["a", "b", "c"]);
    expect(turns.waiting).toBe(0);
  });

  test("and who gives up waiting takes no turn", async () => {
    const turns = new Turns({ most: 1 });
    const began: string[] = [];
    const [first, second] = ["a", "b", "c"].map((name) => enter(turns, "one", began, name));
    second?.leave();
    first?.leave();
    await tick();
    expect(began).toEqual(["a", "c"]);
  });
});

test("callers take turns, however many calls one of them has waiting", async () => {
  const turns = new Turns({ most: 1 });
  const began: string[] = [];
  const places = [
    ...Array.from({ length: 5 }, (_, index) => enter(turns, "greedy", began, `greedy ${index}`)),
    enter(turns, "modest", began),
    enter(turns, "late", began),
  ];
  for (let ended = 0; ended < places.length; ended++) {
    await tick();
    const name = began[ended] ?? "";
    const index = name.startsWith("greedy") ? Number(name.at(-1)) : name === "modest" ? 5 : 6;
    places[index]?.leave();
  }
  expect(began).toEqual(["greedy 0", "greedy 1", "modest", "late", "greedy 2", "greedy 3", "greedy 4"]);
});

test("too many waiting calls are refused, of one caller and of all", () => {
  const turns = new Turns({ most: 1, mostOfOne: 2, mostWaiting: 3 });
  const places = ["a", "a", "a", "a", "b", "b", "c"].map((caller) => turns.enter(caller) !== undefined);
  expect(places).toEqual([true, true, true, false, true, false, false]);
});

describe("an exclusive server", () => {
  test("serves one caller at a time, and the next when all calls of that one are done", async () => {
    const turns = new Turns({ most: 8 });
    turns.isExclusive = true;
    const began: string[] = [];
    const [a1, a2] = ["a1", "a2"].map((name) => enter(turns, "a", began, name));
    const b = enter(turns, "b", began);
    // Behind b, although a is at the server: otherwise b might wait for ever.
    enter(turns, "a", began, "a3");
    a1?.leave();
    await tick();
    expect(began).toEqual(["a1", "a2"]);
    a2?.leave();
    await tick();
    expect(began).toEqual(["a1", "a2", "b"]);
    b.leave();
    await tick();
    expect(began).toEqual(["a1", "a2", "b", "a3"]);
  });

  test("lets those in who waited, once it is no longer so", async () => {
    const turns = new Turns({ most: 8 });
    turns.isExclusive = true;
    const began: string[] = [];
    for (const caller of ["a", "b", "c"]) enter(turns, caller, began);
    turns.isExclusive = false;
    await tick();
    expect(began).toEqual(["a", "b", "c"]);
  });
});
