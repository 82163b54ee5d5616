import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { runProgram } from "./run-program.ts";

const shell = (script: string, options: Partial<Parameters<typeof runProgram>[2]> = {}) =>
  runProgram("/bin/sh", ["-c", script], { timeoutMs: 60_000, env: { PATH: "/usr/bin:/bin" }, ...options });

const onUnix = test.runIf(process.platform !== "win32");

onUnix("a program reads its input from stdin and from further pipes, and what it says is kept", async () => {
  const end = await shell("cat; cat <&3; cat <&4; echo heard >&2", { input: "one ", moreInput: ["two ", "three"] });
  expect(end).toEqual({ code: 0, stdout: "one two three", stderr: "heard", problem: "" });
});

onUnix("a program that fails says why, by its last words or by its code", async () => {
  expect(await shell("echo no such luck >&2; exit 3")).toMatchObject({ code: 3, problem: "no such luck" });
  expect(await shell("exit 4")).toMatchObject({ code: 4, problem: "/bin/sh ended with exit code 4" });
  expect(await shell("kill -9 $$")).toMatchObject({ code: null, problem: "/bin/sh ended with a signal" });
});

onUnix("a program that does not exist has a start error, and nothing is thrown", async () => {
  const end = await runProgram("/no/such/program", [], { timeoutMs: 60_000 });
  expect(end).toMatchObject({ code: null, problem: expect.stringContaining("ENOENT") });
  expect(end.startError).toBeInstanceOf(Error);
});

onUnix("a program that takes too long is ended with all that it has started", async () => {
  const end = await shell("sleep 300 & echo $!; wait", { timeoutMs: 300 });
  expect(end).toMatchObject({ code: null, problem: "it took longer than 0.3 s" });
  await expect.poll(() => isAlive(Number(end.stdout)), { timeout: 30_000 }).toBe(false);
});

onUnix("a program that may end politely is asked first", async () => {
  const end = await shell("trap 'echo bye; exit 0' TERM; echo on; while :; do sleep 0.05; done", {
    timeoutMs: 1000,
    politeMs: 60_000,
  });
  expect(end).toMatchObject({ code: null, stdout: "on\nbye\n" });
});

onUnix("a program that says too much is ended", async () => {
  const end = await shell("yes", { mostOutput: 100_000 });
  expect(end).toMatchObject({ code: null, problem: "it said more than 100000 bytes" });
  expect(end.stdout.length).toBeLessThanOrEqual(100_000);
});

onUnix("a program that does not read its input ends well", async () => {
  const end = await shell("exit 0", { input: "x".repeat(4_000_000) });
  await delay(0);
  expect(end.code).toBe(0);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // nobody has that id any more
  }
}
