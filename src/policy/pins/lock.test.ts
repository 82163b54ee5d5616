import { expect, test } from "vitest";
import { lockedHash, lockText } from "./lock.ts";
import { type Lock, lockSchema } from "./lock-schema.ts";

const [one, two] = ["1".repeat(64), "2".repeat(64)];
const empty = { tool: {}, prompt: {}, template: {}, instructions: {} };
const lock: Lock = {
  lockVersion: 1,
  servers: { b: { ...empty, server: one, tool: { z: two, a: one } }, a: { ...empty, server: two } },
};

test("its text is sorted, leaves out what is empty, and reads back as it was", () => {
  expect(lockText(lock)).toBe(
    `${JSON.stringify({ lockVersion: 1, servers: { a: { server: two }, b: { server: one, tool: { a: one, z: two } } } }, undefined, 2)}\n`,
  );
  expect(lockSchema.parse(JSON.parse(lockText(lock)))).toEqual(lock);
});

test("a hash is found by its exact names alone", () => {
  expect(lockedHash(lock, "b", "tool", "z")).toBe(two);
  for (const [server, name] of [
    ["b", "y"],
    ["c", "z"],
    ["b", "constructor"],
    ["constructor", "z"],
    ["__proto__", "z"],
  ] as const)
    expect(lockedHash(lock, server, "tool", name)).toBe(undefined);
});
