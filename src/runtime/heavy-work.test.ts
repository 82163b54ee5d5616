import { expect, test } from "vitest";
import { heavyWork } from "./heavy-work.ts";

const json = (text: string) => () => ({
  bytes: new TextEncoder().encode(text),
  question: { name: "It", path: [] },
  most: 1024 * 1024,
});
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const turn = "a";

test("an error comes as it was thrown", async () => {
  const bad = { pattern: "(", texts: [["a"]] };
  await expect(heavyWork("match", () => bad, { turn })).rejects.toMatchObject({
    code: "input_invalid",
    message: expect.stringContaining("Unterminated group"),
    hint: expect.any(String),
  });
});

test("those who wait take turns, no matter who has asked for most", async () => {
  const order: string[] = [];
  const ask = (name: string) => heavyWork("json", json("1"), { turn: name }).then(() => order.push(name));
  await Promise.all([..."aaaa"].map(ask).concat(ask("b"), ask("c")));
  expect(order.join("")).toBe("aabcaa");
});

test("what is cancelled is ended in the middle, and what waits goes on", async () => {
  const stop = new AbortController();
  const endless = { pattern: "(a+)+$", texts: Array(200).fill([`${"a".repeat(40)}b`]) };
  const first = heavyWork("match", () => endless, { turn, signal: stop.signal });
  const second = heavyWork("json", json('{"a":[1]}'), { turn });
  stop.abort();
  await expect(first).rejects.toMatchObject({ code: "call_cancelled" });
  expect(textOf(await second)).toBe('{"a":[1]}');
});

test("twenty thousand that are cancelled, the newest first, leave the next one its turn", async () => {
  const endless = { pattern: "(a+)+$", texts: Array(200).fill([`${"a".repeat(40)}b`]) };
  const stops = Array.from({ length: 20_000 }, () => new AbortController());
  const asked = stops.map(({ signal }) => heavyWork("match", () => endless, { turn, signal }));
  for (const stop of stops.reverse()) stop.abort();
  const ends = await Promise.allSettled(asked);
  expect(new Set(ends.map((end) => end.status === "rejected" && end.reason.code))).toEqual(new Set(["call_cancelled"]));
  expect(textOf(await heavyWork("json", json("[1]"), { turn: "b" }))).toBe("[1]");
});

test("inputs that cannot be had, thousands of them, leave the next one its turn", async () => {
  const absent = (): never => {
    throw new Error("It is not there");
  };
  const asked = Array.from({ length: 20_000 }, () => heavyWork("json", absent, { turn }));
  await expect(Promise.any(asked)).rejects.toMatchObject({ errors: { length: 20_000 } });
  expect(textOf(await heavyWork("json", json("[1]"), { turn }))).toBe("[1]");
});

test("what would take too much memory or too long an answer is refused", async () => {
  const many = json(`[${"[],".repeat(5_000_000)}[]]`);
  await expect(heavyWork("json", many, { turn })).rejects.toThrow("more than 4000000 values");
  await expect(heavyWork("json", json(`"${"x".repeat(2_000_000)}"`), { turn })).rejects.toThrow("more than 1 MB");
});
