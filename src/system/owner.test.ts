import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isAlive, ownerHere, thisProcess } from "./owner.ts";

test("this process is alive", () => {
  expect(isAlive(thisProcess())).toBe(true);
});

test("a process that ended is not alive", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  expect(isAlive(ownerHere(child.pid ?? 0, ""))).toBe(false);
});

test.skipIf(process.platform !== "linux")("a later process with the same pid is not taken for the owner", () => {
  const { node, epoch } = thisProcess();
  expect(epoch).toMatch(/^\d+\.\d+$/);
  expect(isAlive({ node, epoch: `${epoch}0` })).toBe(false);
});

test("of a process of another node it cannot be said whether it lives", () => {
  expect(isAlive({ ...thisProcess(), node: "0123456789ab" })).toBeUndefined();
});

test("nobody is the process of no id", () => {
  expect(isAlive(ownerHere(0, ""))).toBe(false);
});
