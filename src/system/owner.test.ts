import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { isAlive, thisProcess } from "./owner.ts";

test("this process is alive", () => {
  expect(isAlive(thisProcess())).toBe(true);
});

test("a process that ended is not alive", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  expect(isAlive({ pid: child.pid ?? 0, mark: "" })).toBe(false);
});

test.skipIf(process.platform !== "linux")("a later process with the same pid is not taken for the owner", () => {
  const { pid, mark } = thisProcess();
  expect(mark).toMatch(/^\d+$/);
  expect(isAlive({ pid, mark: `${mark}0` })).toBe(false);
});
