import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import type { RunResult } from "../src/runtime/results/run-result.ts";
import { connect, createHome } from "./gateway/connect.ts";
import { folder, openCoordinator } from "./open-coordinator.ts";
import { presented } from "./presented.ts";
import { longestStandstill } from "./standstill.ts";

// The files of the workspace through the whole of it: tools, guests, tests, git.

const open = (settings: object = {}, home = "home"): Promise<Coordinator> =>
  openCoordinator({ coordinator: settings, home });

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
    expect(failing.stdout).toMatch(/FAIL {2}test_grows \([\d.]+ ms\), line 11\n {6}AssertionError: assert /);
    await overwrite("py/fib.py", "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n");
    expect(await execute("py/test_fib.py")).toMatchObject({ status: "ok", result: { passed: 2, failed: 0 } });
    const { files } = await run("commit_workspace", { message: "The same in Python", init: true });
    expect(files).toEqual([
      { path: "py/fib.py", change: "added" },
      { path: "py/test_fib.py", change: "added" },
    ]);
  });
});

describe("a file that runs", () => {
  test("answers like execute_code, with its path, and gets its arguments", async () => {
    await overwrite("args.py", "import sys\nprint(sys.argv)\nlen(sys.argv)\n");
    await overwrite("args.ts", "console.log(Deno.args);\nprocess.argv.slice(1);\n");
    expect(await execute("args.py", { args: ["a", "--b"] })).toMatchObject({
      status: "ok",
      stdout: "['args.py', 'a', '--b']\n",
      result: 3,
      file_path: "args.py",
      run: expect.any(String),
    });
    expect(await execute("./args.ts", { args: ["a"] })).toMatchObject({
      result: ["args.ts", "a"],
      file_path: "args.ts",
    });
  });

  test("keeps what it printed when it fails or warns", async () => {
    await overwrite("warns.py", 'import sys\nprint("out")\nprint("careful", file=sys.stderr)\n');
    await overwrite("fails.py", 'print("before")\nraise ValueError("no")\n');
    expect(await execute("warns.py")).toMatchObject({ status: "ok", stdout: "out\n", stderr: "careful\n" });
    expect(await execute("fails.py")).toMatchObject({
      status: "error",
      stdout: "before\n",
      error: { name: "ValueError", line: 2 },
    });
  });

  test("imports its neighbours, in folders and packages, and what is at the root", async () => {
    await overwrite("lib/shapes.ts", 'export { area } from "./area";\n');
    await overwrite("lib/area.ts", "export const area = (side: number): number => side * side;\n");
    await overwrite("app/main.ts", 'import { area } from "../lib/shapes.ts";\narea(3)\n');
    expect(await execute("app/main.ts")).toMatchObject({ status: "ok", result: 9 });
    await overwrite("tools/__init__.py", "");
    await overwrite("tools/area.py", "def area(side):\n    return side * side\n");
    await overwrite("app/scale.py", "factor = 2\n");
    await overwrite("app/main.py", "from tools.area import area\nimport scale\narea(3) * scale.factor\n");
    expect(await execute("app/main.py")).toMatchObject({ status: "ok", result: 18 });
  });

  test("imports nothing from outside of the workspace", async () => {
    writeFileSync(join(folder, "home", "outside.ts"), "export const secret = 1;\n");
    await overwrite("escape.ts", 'import { secret } from "../outside.ts";\nsecret\n');
    const { status, error } = await execute("escape.ts");
    expect({ status, message: error?.message }).toEqual({
      status: "check_failed",
      message: expect.stringContaining('Cannot find module "../outside.ts"'),
    });
  });

  test("that is not code, or not there, does not run", async () => {
    await overwrite("notes.txt", "hello");
    await expect(execute("notes.txt")).rejects.toMatchObject({ code: "input_invalid" });
    await expect(execute("nothing.py")).rejects.toMatchObject({ code: "file_unknown" });
  });
});

describe("tests of a file", () => {
  const outcomes = ({ result }: RunResult) =>
    (result as { tests: { name: string; status: string }[] }).tests.map(({ name, status }) => `${status} ${name}`);

  test("in the words of node:test", async () => {
    await overwrite(
      "words.test.ts",
      `import test, { after, afterEach, before, beforeEach, describe, it, suite } from "node:test";
import assert from "node:assert/strict";
const log: string[] = [];
before(() => { log.push("before"); });
beforeEach(() => { log.push("each"); });
after(() => { log.push("after"); });
await test("plain", (t) => assert.equal(t.name, "plain"));
test.skip("left out", () => assert.fail());
test("also left out", { skip: "later" }, () => assert.fail());
test.todo("to do");
test("skips itself", (t) => t.skip());
describe("outer", () => {
  before(() => { log.push("inner before"); });
  suite("inner", async () => {
    await Promise.resolve();
    it("is found", async () => { assert.deepEqual(log.slice(-2), ["inner before", "each"]); });
  });
});
test("parts", async (t) => {
  await t.test("one", () => {});
  await t.test("two", () => assert.equal(1, 2));
});
test("with a callback", (t, done) => setTimeout(done, 1));
test("too slow", { timeout: 20 }, () => new Promise((resolve) => setTimeout(resolve, 2000)));
test("throws no error", () => { throw "text"; });
`,
    );
    const run = await execute("words.test.ts");
    expect(outcomes(run)).toEqual([
      "passed plain",
      "skipped left out",
      "skipped also left out",
      "skipped to do",
      "skipped skips itself",
      "passed outer > inner > is found",
      "failed parts",
      "passed parts > one",
      "failed parts > two",
      "passed with a callback",
      "failed too slow",
      "failed throws no error",
    ]);
    expect(run).toMatchObject({ status: "error", error: { code: "tests_failed" }, result: { skipped: 4, failed: 4 } });
    expect(run.stdout).toContain("FAIL  parts > two");
    expect(run.stdout).toMatch(/parts > two \([\d.]+ ms\), line 21/);
  });

  test("in the words of Deno.test, and only the chosen ones", async () => {
    await overwrite(
      "deno_test.ts",
      `Deno.test("named", () => {});
Deno.test({ name: "object", fn: async (t) => { await t.step("step", () => {}); } });
Deno.test({ name: "ignored", ignore: true, fn: () => { throw new Error("no"); } });
Deno.test(function namedFunction() {});
`,
    );
    expect(outcomes(await execute("deno_test.ts"))).toEqual([
      "passed named",
      "passed object",
      "passed object > step",
      "skipped ignored",
      "passed namedFunction",
    ]);
    await overwrite(
      "only.test.ts",
      'import { test } from "node:test";\ntest("a", () => {});\ntest.only("b", () => {});\n',
    );
    expect(outcomes(await execute("only.test.ts"))).toEqual(["skipped a", "passed b"]);
  });

  test.each([
    ["cpython", { imports: { deny: ["nothing"] } }],
    ["pyodide", {}],
  ])("in the words of unittest and pytest, on %s without pytest", async (python, settings) => {
    await using other = await open({ sandbox: { python, ...settings }, workspace: { root } }, python);
    await overwrite(
      "test_words.py",
      `import unittest
from unittest import TestCase, skip


class Cases(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = []

    def setUp(self):
        self.shared.append(1)

    def test_a(self):
        self.assertEqual(self.shared, [1])

    @skip("later")
    def test_b(self):
        self.fail()

    @unittest.expectedFailure
    def test_c(self):
        self.fail()

    def test_d(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(n, 1)


class Awaited(unittest.IsolatedAsyncioTestCase):
    async def test_waits(self):
        self.assertTrue(True)


class TestPlain:
    def setup_method(self):
        self.value = 1

    def test_value(self):
        assert self.value == 1


def test_fixture(tmp_path):
    pass


async def test_coroutine():
    assert 1 == 2, "numbers differ"


def helper_test():
    raise RuntimeError
`,
    );
    const ran = (await other.run("execute_code_file", { file_path: "test_words.py" })) as FileRun;
    expect(outcomes(ran)).toEqual([
      "passed TestPlain.test_value",
      "failed test_fixture",
      "failed test_coroutine",
      "passed Cases.test_a",
      "skipped Cases.test_b",
      "passed Cases.test_c",
      "failed Cases.test_d (n=2)",
      "passed Awaited.test_waits",
    ]);
    expect(ran.stdout).toContain("fixtures need pytest");
    expect(ran.stdout).toMatch(/test_coroutine \([\d.]+ ms\), line 48\n {6}AssertionError: numbers differ/);
    expect(ran.stdout).toMatch(/Cases.test_d \(n=2\) \([\d.]+ ms\), line 27\n/);
  });

  test("by pytest where Python has it: fixtures, parameters, what an assertion compared", async ({ skip }) => {
    const has = await coordinator.execute({ language: "python", code: "import pytest", check: false });
    skip(has.status !== "ok", "this machine's Python has no pytest");
    await overwrite("value.py", "def value():\n    return 1\n");
    await overwrite(
      "test_pytest.py",
      `import pytest
from value import value


@pytest.fixture
def two():
    return 2


def test_fixture(two, tmp_path):
    print("from the test")
    assert value() == two


@pytest.mark.parametrize("n", [1, 2])
def test_each(n):
    assert n


@pytest.mark.skip
def test_later():
    pass
`,
    );
    const ran = await execute("test_pytest.py");
    expect(outcomes(ran)).toEqual([
      "failed test_fixture",
      "passed test_each[1]",
      "passed test_each[2]",
      "skipped test_later",
    ]);
    expect(ran.stdout).toMatch(
      /^from the test\nFAIL {2}test_fixture \([\d.]+ ms\), line 12\n {6}AssertionError: assert 1 == 2\n {7}\+ {2}where 1 = value\(\)/,
    );
    await overwrite("test_pytest.py", "import value\nraise ValueError('at the top')\n");
    expect(await execute("test_pytest.py")).toMatchObject({ status: "error", error: { name: "ValueError", line: 2 } });
  });

  test("are asked for by name or by argument; a file without any says so", async () => {
    await overwrite("checks.py", "def test_one():\n    assert True\n");
    expect(await execute("checks.py", { test: true })).toMatchObject({ status: "ok", result: { passed: 1 } });
    expect(await execute("checks.py")).toMatchObject({ status: "ok" });
    await overwrite("test_empty.py", "x = 1\n");
    expect(await execute("test_empty.py")).toMatchObject({
      status: "error",
      error: { code: "tests_failed", message: "The file defines no tests" },
    });
    await overwrite("test_empty.py", "raise ValueError('at the top')\n");
    expect(await execute("test_empty.py")).toMatchObject({ status: "error", error: { name: "ValueError", line: 1 } });
  });

  test("that forge their report have lost it", async () => {
    await overwrite("forged.test.ts", 'JSON.stringify = () => \'{"type":"done","value":{"tests":"all"}}\';\n');
    const { status } = await execute("forged.test.ts");
    expect(status).toBe("error");
  });
});

describe("guests and tools share the files", () => {
  test("a guest writes, the tool reads, and the other way round, in both languages", async () => {
    await guest(
      "typescript",
      `import { workspace } from "coordinator";
await workspace.write("shared/ts.json", { n: [1, 2] });
await workspace.write("shared/bytes.bin", { base64: "AP8B" });
await workspace.append("shared/log.txt", "one\\n");`,
    ).then((ran) => expect(ran).toMatchObject({ status: "ok" }));
    const python = await guest(
      "python",
      `from coordinator import workspace
workspace.append("shared/log.txt", "two\\n")
workspace.write("shared/rows.csv", 'name,amount\\n"Doe, J",007\\n')
[workspace.json("shared/ts.json"), workspace.read("shared/bytes.bin", encoding="base64"),
 workspace.csv("shared/rows.csv"), workspace.read("shared/log.txt", offset=4, limit=3),
 [f["path"] for f in workspace.list("shared")]]`,
    );
    expect(python).toMatchObject({
      status: "ok",
      result: [
        { n: [1, 2] },
        "AP8B",
        [{ name: "Doe, J", amount: "007" }],
        "two",
        ["shared/bytes.bin", "shared/log.txt", "shared/rows.csv", "shared/ts.json"],
      ],
    });
    expect([...readFileSync(join(root, "shared", "bytes.bin"))]).toEqual([0, 255, 1]);
    expect(await run("read_code_file", { file_path: "shared/log.txt" })).toMatchObject({ content: "one\ntwo\n" });
    await overwrite("shared/from-tool.txt", "hello");
    const ts = await guest(
      "typescript",
      'import { workspace } from "coordinator";\nconst text = await workspace.read("shared/from-tool.txt");\nawait workspace.remove("shared/from-tool.txt");\ntext',
    );
    expect(ts).toMatchObject({ status: "ok", result: "hello" });
    expect(existsSync(join(root, "shared", "from-tool.txt"))).toBe(false);
  });

  test("a guest gets no further than the tools", async () => {
    const ran = await guest(
      "python",
      `from coordinator import workspace
seen = []
for path in ["../home.json", "/etc/passwd", ".git/config", ".git/hooks/pre-commit", "a\\x00b", "..\\\\x"]:
    for act in (workspace.read, workspace.remove, lambda p: workspace.write(p, "x"), lambda p: workspace.append(p, "x")):
        try:
            act(path)
            seen.append(path)
        except Exception as error:
            seen.append(error.code)
sorted(set(seen))`,
    );
    expect(ran).toMatchObject({ status: "ok", result: ["file_refused"] });
  });

  test("JSON is written in lines, but for what is large or deep, and counts as it is written", async () => {
    const small = await open({ sandbox: { limits: { storedMb: 2 } } }, "small");
    const { result } = await small.execute({
      code: `import { workspace } from "coordinator";
const nested = (zeros: number, levels: number): unknown => {
  let value: unknown = Array(zeros).fill(0);
  for (let level = 1; level < levels; level++) value = [value];
  return value;
};
const write = async (value: unknown) =>
  workspace.write("x.json", value).then(({ bytes }) => bytes, (error) => error.code);
await workspace.write("lines.json", { a: [1] });
// Of the last, 40 kB are sent and twenty times as much is written.
[await workspace.read("lines.json"), await write(nested(20_000, 500)), await write(nested(50_001, 1)),
 await write(nested(1000, 21)), await write(nested(20_000, 20)), await write(nested(20_000, 20))]`,
    });
    expect(result).toEqual(['{\n  "a": [\n    1\n  ]\n}\n', 41_000, 100_004, 2042, 860_839, "storage_full"]);
  });

  test("too much for one answer is refused with the way to read it", async () => {
    writeFileSync(join(root, "large.txt"), "x".repeat(17 * 1024 * 1024));
    const ran = await guest(
      "typescript",
      `import { workspace } from "coordinator";
const part = await workspace.read("large.txt", { offset: 1000, limit: 5 });
const whole = await workspace.read("large.txt").catch((error) => error.message);
[part, whole]`,
    );
    expect(ran).toMatchObject({ status: "ok", result: ["xxxxx", expect.stringContaining("{ offset, limit }")] });
    rmSync(join(root, "large.txt"));
  });

  test("a large or a wide table holds up nobody else", async () => {
    const wide = Array.from({ length: 60_000 }, (_, index) => `c${index}`).join(",");
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, "wide.csv"), `${wide}\n`);
    writeFileSync(join(root, "large.csv"), `a,b\n${"1,2\n".repeat(800_000)}`);
    const { longestMs, result } = await longestStandstill(() =>
      guest(
        "typescript",
        `import { workspace } from "coordinator";
const tell = (reading: Promise<unknown[]>) => reading.then((rows) => rows.length, (error) => error.message);
await Promise.all([tell(workspace.csv("wide.csv")), tell(workspace.csv("large.csv"))])`,
      ),
    );
    expect(result.result).toEqual([expect.stringContaining("there are 60000 columns, more than 16384"), 800_000]);
    expect(longestMs).toBeLessThan(700);
    rmSync(join(root, "wide.csv"));
    rmSync(join(root, "large.csv"));
  });

  test("what is not JSON, CSV or text is told as such", async () => {
    writeFileSync(join(root, "bad.bin"), Buffer.from([0xff, 0xfe, 0x00]));
    await overwrite("bad.json", "{");
    await overwrite("bad.csv", "a,b\n1\n");
    const ran = await guest(
      "typescript",
      `import { workspace } from "coordinator";
const tell = (work: Promise<unknown>) => work.then(() => "read", (error) => error.message);
await Promise.all([tell(workspace.json("bad.json")), tell(workspace.csv("bad.csv")), tell(workspace.read("bad.bin"))])`,
    );
    expect(ran.result).toEqual([
      expect.stringContaining("bad.json is not JSON"),
      expect.stringContaining("line 2 has 1 values"),
      expect.stringContaining("is not UTF-8 text"),
    ]);
  });
});

test("a file without an ending is executed when its content tells the language, with its neighbours", async () => {
  await overwrite("bare/helper.py", "def double(n):\n    return 2 * n\n");
  await overwrite("bare/script", "from helper import double\nprint(double(21))\n");
  await overwrite("bare/program", "const x: number = 1;\nconsole.log(x);\n");
  await overwrite("bare/notes", "Some words, and no code.\n");
  await overwrite("bare/data.txt", "print(1)\n");
  expect(await execute("bare/script")).toMatchObject({ status: "ok", stdout: "42\n" });
  expect(await execute("bare/program")).toMatchObject({ status: "ok", stdout: "1\n" });
  for (const file of ["bare/notes", "bare/data.txt"])
    await expect(execute(file)).rejects.toMatchObject({
      message: expect.stringContaining("does not tell its language"),
    });
});

describe("the tools", () => {
  test("make fresh names, refuse what is there, and read by lines within the budget", async () => {
    const { file_path } = await run("initialize_code_file", { content: "x = 1\n", language: "python" });
    expect(file_path).toMatch(/^code_[0-9a-f]{8}\.py$/);
    for (const [content, ending] of [
      ["def f(x):\n    return x\n", ".py"],
      ["const x: number = 1;", ".ts"],
      ["x = 1\n", ".ts"],
    ])
      expect(await run("initialize_code_file", { content })).toEqual({
        file_path: expect.stringMatching(`^code_[0-9a-f]{8}\\${ending}$`),
        bytes: content?.length,
      });
    await expect(run("initialize_code_file", { filename: file_path, content: "" })).rejects.toMatchObject({
      code: "file_exists",
      hint: expect.stringContaining("overwrite_code_file"),
    });
    await overwrite("long.txt", [...Array(5000).keys()].map((line) => `line ${line + 1} of a long file\n`).join(""));
    expect(await run("read_code_file", { file_path: "long.txt", from_line: 3, to_line: 4 })).toEqual({
      file_path: "long.txt",
      content: "line 3 of a long file\nline 4 of a long file\n",
      from_line: 3,
      to_line: 4,
      total_lines: 5000,
    });
    const first = await run("read_code_file", { file_path: "long.txt" });
    expect(first).toMatchObject({ from_line: 1, total_lines: 5000, truncated: true });
    const next = await run("read_code_file", { file_path: "long.txt", from_line: first.to_line + 1 });
    expect(next.content.startsWith(`line ${first.to_line + 1} of`)).toBe(true);
    await expect(run("read_code_file", { file_path: "long.txt", from_line: 9999 })).rejects.toMatchObject({
      code: "input_invalid",
    });
    await run("delete_code_file", { file_path: "long.txt" });
    expect(await run("list_code_files", { pattern: "long.*" })).toEqual({ files: [], total: 0 });
  });

  test("work through the gateway, on a project's own folder, with errors that say what to do", async () => {
    const project = join(folder, "project");
    mkdirSync(join(project, "src"), { recursive: true });
    writeFileSync(join(project, "src", "index.ts"), "export const answer = 42;\n");
    const home = createHome({}, { toolsets: ["files"], workspace: { root: project, maxFiles: 4 } });
    await using gateway = await connect(home);
    const { tools } = await gateway.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "initialize_code_file",
      "append_to_code_file",
      "overwrite_code_file",
      "read_code_file",
      "list_code_files",
      "delete_code_file",
      "execute_code_file",
      "commit_workspace",
    ]);
    const made = await gateway.call("initialize_code_file", {
      filename: "src/use.ts",
      content: 'import { answer } from "./index.ts";\nconsole.log("running");\nanswer + 1\n',
    });
    expect(made.structuredContent).toEqual({ file_path: "src/use.ts", bytes: 72 });
    const ran = await gateway.call("execute_code_file", { file_path: "src/use.ts" });
    expect(ran.content).toEqual([{ type: "text", text: "running\n43" }]);
    expect(ran.structuredContent).toMatchObject({ status: "ok", result: 43, file_path: "src/use.ts" });
    const listed = await gateway.call("list_code_files", { folder: "src", pattern: "*.ts" });
    expect(listed.structuredContent).toMatchObject({
      files: [{ file_path: "src/index.ts" }, { file_path: "src/use.ts" }],
      total: 2,
    });
    const refusedPath = await gateway.call("read_code_file", { file_path: "../mcp_servers.json" });
    expect(refusedPath).toMatchObject({ isError: true, structuredContent: { error: { code: "file_refused" } } });
    await gateway.call("append_to_code_file", { file_path: "third.txt", content: "x" });
    const full = await gateway.call("append_to_code_file", { file_path: "fourth.txt", content: "x" });
    expect(full).toMatchObject({ isError: true, structuredContent: { error: { code: "workspace_full" } } });
    const unversioned = await gateway.call("commit_workspace", { message: "x" });
    expect(unversioned).toMatchObject({ isError: true, structuredContent: { error: { code: "commit_failed" } } });
    expect(readdirSync(project).toSorted()).toEqual(["src", "third.txt"]);
  });
});

describe("a commit", () => {
  test("changes nothing when nothing changed, and tells what was added, changed and removed", async () => {
    await using other = await open({}, "commits");
    const commit = (message: string) => other.run("commit_workspace", { message, init: true });
    await other.run("overwrite_code_file", { file_path: "a.txt", content: "1" });
    await other.run("overwrite_code_file", { file_path: "b.txt", content: "1" });
    expect(await commit("first")).toMatchObject({ files: [{ change: "added" }, { change: "added" }] });
    expect(await commit("again")).toEqual({ files: [] });
    await other.run("overwrite_code_file", { file_path: "a.txt", content: "2" });
    await other.run("delete_code_file", { file_path: "b.txt" });
    await other.run("overwrite_code_file", { file_path: "sub/ü.txt", content: "1" });
    expect(await commit("-m second\n\nwith --amend and $(touch x) `y`")).toMatchObject({
      files: [
        { path: "a.txt", change: "changed" },
        { path: "b.txt", change: "removed" },
        { path: "sub/ü.txt", change: "added" },
      ],
    });
    const log = execFileSync("git", ["log", "--format=%B"], { cwd: join(folder, "commits", "workspace") }).toString();
    expect(log).toBe("-m second\n\nwith --amend and $(touch x) `y`\n\nfirst\n\n");
  });

  test("runs nothing that the repository's settings or a guest's files name", async () => {
    const project = join(folder, "hostile");
    const canary = join(folder, "canary");
    mkdirSync(project);
    const git = (...args: string[]) => execFileSync("git", args, { cwd: project });
    git("init", "--quiet");
    const touch = `touch ${canary}; cat`;
    for (const [key, value] of [
      ["core.fsmonitor", touch],
      ["core.hooksPath", join(project, ".git", "own-hooks")],
      ["core.editor", touch],
      ["core.pager", touch],
      ["commit.gpgSign", "true"],
      ["gpg.program", join(project, ".git", "own-hooks", "pre-commit")],
      ["filter.evil.clean", touch],
      ["filter.evil.process", touch],
      ["diff.external", touch],
      ["diff.evil.textconv", touch],
      ["gc.auto", "1"],
      ["alias.add", `!${touch}`],
      ["user.name", "A User"],
      ["user.email", "user@example.org"],
    ] as const) {
      git("config", key, value);
    }
    mkdirSync(join(project, ".git", "own-hooks"));
    for (const hook of ["pre-commit", "post-commit", "commit-msg", "reference-transaction", "post-index-change"]) {
      for (const place of ["own-hooks", "hooks"]) {
        mkdirSync(join(project, ".git", place), { recursive: true });
        writeFileSync(join(project, ".git", place, hook), `#!/bin/sh\ntouch ${canary}\n`, { mode: 0o755 });
      }
    }
    await using other = await open({ workspace: { root: project } }, "hostile-home");
    await other.run("overwrite_code_file", { file_path: "a.txt", content: "1" });
    const { commit } = (await other.run("commit_workspace", { message: "quiet" })) as { commit: string };
    expect(git("log", "--format=%H %an <%ae>").toString()).toBe(`${commit} A User <user@example.org>\n`);
    expect(existsSync(canary)).toBe(false);
    await other.run("overwrite_code_file", { file_path: ".gitattributes", content: "* filter=evil diff=evil\n" });
    await expect(other.run("commit_workspace", { message: "filtered" })).rejects.toMatchObject({
      code: "commit_failed",
      message: expect.stringContaining('the git filter "evil"'),
    });
    expect(existsSync(canary)).toBe(false);
    // The same by git itself: otherwise the traps would prove nothing.
    git("add", "a.txt");
    expect(existsSync(canary)).toBe(true);
  });
});

describe("the documents", () => {
  const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

  test("docs/workspace.md: its programs run, and answer what they say", async () => {
    const programs = [...read("docs/workspace.md").matchAll(/^```(ts|python)\n([\s\S]*?)^```$/gm)];
    await using other = await open({}, "documented");
    const results = [];
    for (const [, language, code = ""] of programs) {
      const ran = await other.execute({ code, language: language === "ts" ? "typescript" : "python" });
      expect(ran).toMatchObject({ status: "ok" });
      results.push(ran.result);
    }
    expect(results).toEqual([
      [2, 2, 2, "orders"],
      [55, { total: 55 }, ["data/totals.json"]],
    ]);
  });

  test("examples/test-driven.md: each block is a call, and the answers are those that it shows", async () => {
    const steps = [...read("examples/test-driven.md").matchAll(/^`(\w+)`, (.*)\n\n```\w+\n([\s\S]*?)^```$/gm)].map(
      ([, tool = "", words = "", block = ""]) => ({ tool, words, block }),
    );
    await using other = await open({}, "example");
    for (const { tool, words, block } of steps) {
      const given = Object.fromEntries([...words.matchAll(/(\w+) `([^`]+)`/g)].map(([, name, value]) => [name, value]));
      const isAnswer = tool === "execute_code_file" || tool === "commit_workspace";
      const input = isAnswer ? { ...given, ...("init" in given && { init: true }) } : { ...given, content: block };
      const { text } = await presented(other, tool, input);
      const withoutTimes = text.replace(/ \([\d.]+ ms\)/g, "");
      if (isAnswer) for (const line of block.trim().split("\n")) expect(withoutTimes).toContain(line);
    }
    expect(steps.map(({ tool }) => tool)).toEqual([
      "initialize_code_file",
      "initialize_code_file",
      "execute_code_file",
      "overwrite_code_file",
      "execute_code_file",
      "initialize_code_file",
      "initialize_code_file",
      "execute_code_file",
      "commit_workspace",
    ]);
  });
});
