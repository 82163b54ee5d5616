import { expect, test } from "vitest";
import { type Definition, hashOf } from "./definition.ts";
import type { Pin, PinMode } from "./pin.ts";
import { acceptList, reviewList } from "./review-list.ts";

const tool = (name: string, more: object = {}): Definition => ({
  kind: "tool",
  name,
  parts: { description: "It", ...more },
});
const first = (...definitions: Definition[]) => new Map(acceptList(definitions, 1).map((pin) => [pin.name, pin]));
const review = (
  before: ReadonlyMap<string, Pin>,
  listed: Definition[],
  { mode = "review" as PinMode, ignored = [] as string[], now = 2 } = {},
) => reviewList(before, listed, { mode, ignored: () => ignored, now });
const after = (before: ReadonlyMap<string, Pin>, { pins }: { readonly pins: readonly Pin[] }) =>
  new Map([...before, ...pins.map((pin) => [pin.name, pin] as const)]);
const states = ({ pins }: { readonly pins: readonly Pin[] }) => pins.map(({ name, state }) => `${name} ${state}`);

const [narrow, wide] = [{ outputSchema: { type: "object" } }, { title: "Else" }];

test("a list that is the same changes nothing", () => {
  const before = first(tool("a"), tool("b"));
  const found = review(before, [tool("b"), tool("a")]);
  expect([found.changed, found.news, found.noted, states(found)]).toEqual([[], [], [], ["b accepted", "a accepted"]]);
});

test("what is narrower is accepted and noted, what is wider waits with the reason, and both are kept", () => {
  const found = review(first(tool("a"), tool("b")), [tool("a", narrow), tool("b", wide)]);
  expect(states(found)).toEqual(["a accepted", "b changed"]);
  expect(found.noted).toMatchObject([{ name: "a", accepted: tool("a", narrow), decidedBy: "narrower" }]);
  expect(found.news).toMatchObject([
    { name: "b", accepted: tool("b"), seen: tool("b", wide), why: ["title reworded"] },
  ]);
  expect(found.changed).toHaveLength(2);
});

test("every change waits where it is strict", () => {
  expect(states(review(first(tool("a")), [tool("a", narrow)], { mode: "strict" }))).toEqual(["a changed"]);
});

test("what is as it was accepted again can be used again, without a word", () => {
  const before = first(tool("a"));
  const changed = after(before, review(before, [tool("a", wide)]));
  const back = review(changed, [tool("a")]);
  expect([states(back), back.news, back.pins[0]?.seen]).toEqual([["a accepted"], [], undefined]);
});

test("what came later is new until a person has looked; under another name it is said so", () => {
  const before = first(tool("a", { title: "A" }), tool("b"));
  const found = review(before, [tool("b"), tool("c", { title: "A" }), tool("d")]);
  expect(states(found)).toEqual(["b accepted", "c new", "d new"]);
  expect(found.news.map(({ why }) => why)).toEqual([['new: says what "a" said, which is gone'], ["new"]]);
  expect(found.pins[1]?.accepted).toBe(undefined);
});

test("what was gone and comes back is held to what it was", () => {
  const before = first(tool("a"), tool("b"));
  const gone = after(before, review(before, [tool("b")]));
  expect(states(review(gone, [tool("a", wide), tool("b")]))).toEqual(["a changed", "b accepted"]);
});

test("what a person blocked stays blocked, whatever it says", () => {
  const [pin] = acceptList([tool("a")], 1);
  const before = new Map(pin ? [["a", { ...pin, state: "blocked" as const }]] : []);
  for (const seen of [tool("a"), tool("a", narrow), tool("a", wide)])
    expect(states(review(before, [seen]))).toEqual(["a blocked"]);
});

test("a pin that cannot be read is not replaced", () => {
  const pin: Pin = { kind: "tool", name: "a", state: "unreadable", why: [], recent: [], decidedAt: 0, decidedBy: "" };
  const found = review(new Map([["a", pin]]), [tool("a")]);
  expect([states(found), found.changed]).toEqual([["a unreadable"], []]);
});

test("a part that may change by itself stays as it was accepted when the rest becomes narrower", () => {
  const seen = tool("a", { ...narrow, description: "POISON" });
  const found = review(first(tool("a")), [seen], { ignored: ["description"] });
  expect(found.pins[0]).toMatchObject({ state: "accepted", accepted: tool("a", narrow) });
});

test("a person hears once of what says something else with every look, and of each text once", () => {
  let pins = first(tool("a"));
  const told: string[] = [];
  for (let look = 2; look < 12; look++) {
    const found = review(pins, [tool("a", { description: `As of ${look}` })], { now: look });
    pins = after(pins, found);
    told.push(...found.news.map(({ seen }) => String(seen?.parts["description"])));
  }
  expect(told).toEqual(["As of 2", "As of 3", "As of 4"]);
  const seen = pins.get("a")?.seen;
  expect(seen && pins.get("a")?.recent.at(-1)?.hash).toBe(seen && hashOf(seen));
  expect(pins.get("a")?.recent.length).toBeLessThanOrEqual(8);
});
