import { afterAll, describe, expect, test } from "vitest";
import { Place } from "./command.ts";

const place = new Place({});
afterAll(() => place[Symbol.dispose]());
const workspace = (...words: string[]) => place.run("workspace", ...words);
const json = async (...words: string[]) => JSON.parse((await workspace(...words, "--json")).stdout);

describe("workspace", () => {
  test.each(["list", "read", "write", "append", "run", "rm", "commit"])("%s explains itself", async (command) => {
    const { stdout, code } = await workspace(command, "--help");
    expect(code).toBe(0);
    expect(stdout).toContain(`USAGE mcp-coordinator workspace ${command} [OPTIONS]`);
    expect(stdout).toMatch(/--json {4}/);
  });

  test("writes from stdin and from a file, adds, reads exactly, lists and removes", async () => {
    expect(await place.feed("print('hi')\n", "workspace", "write", "a.py")).toEqual({
      stdout: "Made a.py (12 bytes)\n",
      stderr: "",
      code: 0,
    });
    const source = place.write("more.txt", "print('\u001b[31m')\n");
    expect(await json("append", "a.py", source)).toEqual({ file_path: "a.py", bytes: 27, created: false });
    expect((await workspace("read", "a.py")).stdout).toBe("print('hi')\nprint('\u001b[31m')\n");
    expect((await json("read", "a.py")).content).toBe("print('hi')\nprint('\u001b[31m')\n");
    expect(await json("list")).toMatchObject({ files: [{ file_path: "a.py", bytes: 27, type: "file" }], total: 1 });
    expect((await workspace("rm", "a.py")).stdout).toBe("Removed a.py\n");
    expect((await workspace("list")).stdout).toBe("No files.\n");
  });

  test("runs files with arguments, and tests, and ends with 1 when one fails", async () => {
    await place.feed("console.log(Deno.args);\n1 + 1\n", "workspace", "write", "run.ts");
    expect(await workspace("run", "run.ts", "--", "a", "--b")).toMatchObject({
      stdout: '["a","--b"]\n2\n',
      code: 0,
    });
    await place.feed(
      'import { test } from "node:test";\ntest("good", () => {});\ntest("bad", () => { throw new Error("no"); });\n',
      "workspace",
      "write",
      "x.test.ts",
    );
    const { stdout, stderr, code } = await workspace("run", "x.test.ts");
    expect(stdout.replace(/\([\d.]+ ms\)/g, "(time)")).toBe(
      "ok    good (time)\nFAIL  bad (time), line 3\n      no\n1 passed, 1 failed\n",
    );
    expect({ stderr, code }).toEqual({ stderr: "error: 1 of 2 tests failed (line 3)\n", code: 1 });
    expect(await json("run", "x.test.ts")).toMatchObject({ status: "error", error: { code: "tests_failed" } });
  });

  test("commits, and fails with a code, a message and a hint", async () => {
    expect(await workspace("commit", "first")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error commit_failed: Cannot record the workspace: .* is not a git repository\n/),
    });
    expect(await json("commit", "first", "--init")).toMatchObject({ commit: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect((await workspace("commit", "again")).stdout).toMatch(/^Nothing to commit/);
    const refused = await workspace("read", "../mcp_servers.json", "--json");
    expect(refused.code).toBe(1);
    expect(refused.stdout + refused.stderr).toContain("file_refused");
  });
});
