import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Coordinator } from "../src/operations/coordinator.ts";
import type { RunResult } from "../src/runtime/run-result.ts";

// The files of the workspace through the whole of it: tools, guests, tests, git.

const folder = mkdtempSync(join(tmpdir(), "coordinator-workspace-"));

const open = (settings: object = {}, home = "home"): Promise<Coordinator> => {
  const config = join(folder, `${home}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: {}, coordinator: settings }));
  return Coordinator.open({ config, env: { ...process.env, MCP_COORDINATOR_HOME: join(folder, home) } });
};

let coordinator: Coordinator;
const root = join(folder, "home", "workspace");
type FileRun = RunResult & { file_path: string };
// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
const run = (name: string, args: object = {}): Promise<any> => coordinator.run(name, args);
const overwrite = (file_path: string, content: string) => run("overwrite_code_file", { file_path, content });
const execute = (file_path: string, more: object = {}): Promise<FileRun> =>
  run("execute_code_file", { file_path, ...more });
const guest = (language: "typescript" | "python", code: string): Promise<RunResult> =>
  coordinator.execute({ language, code });

beforeAll(async () => {
  coordinator = await open();
});
afterAll(async () => {
  await coordinator.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("the write-test-first loop: failing test, implementation, passing test, commit", () => {
  test("in TypeScript", async () => {
    await run("initialize_code_file", {
      filename: "ts/fib.test.ts",
      content: `import assert from "node:assert";
import { describe, it } from "node:test";
import { fib } from "./fib.ts";

describe("fib", () => {
  it("starts with 0 and 1", () => assert.deepStrictEqual([fib(0), fib(1)], [0, 1]));
  it("grows", async () => {
    await Promise.resolve();
    assert.strictEqual(fib(10), 55);
  });
});
`,
    });
    await run("initialize_code_file", { filename: "ts/fib.ts", content: "export function fib(n: number): number {\n" });
    await run("append_to_code_file", { file_path: "ts/fib.ts", content: "  return n;\n}\n" });
    const failing = await execute("ts/fib.test.ts");
    expect(failing).toMatchObject({
      status: "error",
      file_path: "ts/fib.test.ts",
      error: { code: "tests_failed", message: "1 of 2 tests failed", line: 9 },
      result: { passed: 1, failed: 1 },
    });
    expect(failing.stdout).toMatch(/^ok {4}fib > starts with 0 and 1 \([\d.]+ ms\)$/m);
    expect(failing.stdout).toMatch(/^FAIL {2}fib > grows \([\d.]+ ms\), line 9$/m);
    await overwrite("ts/fib.ts", "export const fib = (n: number): number => (n < 2 ? n : fib(n - 1) + fib(n - 2));\n");
    const passing = await execute("ts/fib.test.ts");
    expect(passing).toMatchObject({ status: "ok", result: { passed: 2, failed: 0 } });
    expect(passing.stdout).toMatch(/2 passed, 0 failed\n$/);
    const { commit, files } = await run("commit_workspace", { message: "Fibonacci, with its tests", init: true });
    expect(files.map(({ path }: { path: string }) => path)).toEqual(["ts/fib.test.ts", "ts/fib.ts"]);
    expect(execFileSync("git", ["log", "--format=%H %s"], { cwd: root }).toString()).toBe(
      `${commit} Fibonacci, with its tests\n`,
    );
  });

  test("in Python", async () => {
    await run("initialize_code_file", {
      filename: "py/test_fib.py",
      content: `import unittest
from fib import fib


class Fib(unittest.TestCase):
    def test_start(self):
        self.assertEqual([fib(0), fib(1)], [0, 1])


def test_grows():
    assert fib(10) == 55


if __name__ == "__main__":
    unittest.main()
`,
    });
    await run("initialize_code_file", { filename: "py/fib", language: "python", content: "def fib(n):\n" });
    await run("append_to_code_file", { file_path: "py/fib.py", content: "    return n\n" });
    const failing = await execute("py/test_fib.py");
    expect(failing).toMatchObject({
      status: "error",
      error: { code: "tests_failed", message: "1 of 2 tests failed", line: 11 },
      result: { passed: 1, failed: 1 },
    });
    expect(failing.stdout).toMatch(
      /FAIL {2}test_grows \([\d.]+ ms\), line 11\n {6}AssertionError: assert fib\(10\) == 55/,
    );
    await overwrite("py/fib.py", "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n");
    expect(await execute("py/test_fib.py")).toMatchObject({ status: "ok", result: { passed: 2, failed: 0 } });
    const { files } = await run("commit_workspace", { message: "The same in Python", init: true });
    expect(files).toEqual([
      { path: "py/fib.py", change: "added" },
      { path: "py/test_fib.py", change: "added" },
    ]);
  });
});
