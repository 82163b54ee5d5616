import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { createPythonChecker } from "./checker.ts";
import { coordinatorStubs, libraries } from "./libraries.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "relevant-problems-"));
const checker = createPythonChecker({ coordinatorStubs, folder });
afterAll(async () => {
  await checker[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const snippetsIn = (file: string): [title: string, code: string][] =>
  readFileSync(new URL(file, import.meta.url), "utf8")
    .split(/^#---\n/m)
    .map((code) => [code.split("\n").find((line) => !/^(from|import) /.test(line) && line !== "") ?? code, code]);
const found = async (code: string) => {
  const problems = await checker.check(code, libraries, { modules: new Set(["numpy", "yaml"]) });
  return problems.map(({ line, message }) => `${line}: ${message}`);
};

describe("what would work is not stopped", () => {
  test.each(snippetsIn("./right-code.fixture.txt"))("%s", async (_title, code) => {
    expect(await found(code)).toEqual([]);
  });
});

describe("what would go wrong is found, on its line", () => {
  test.each(snippetsIn("./wrong-code.fixture.txt"))("%s", async (_title, marked) => {
    const lines = marked.split("\n").map((line) => line.split("  #>"));
    const problems = await found(lines.map(([code]) => code).join("\n"));
    const expected = lines.flatMap(([, message], index) => (message === undefined ? [] : [`${index + 1}:${message}`]));
    expect(problems.map((problem) => problem.split(":")[0])).toEqual(expected.map((problem) => problem.split(":")[0]));
    for (const [index, message] of expected.entries()) {
      expect(problems[index]).toContain(message.slice(message.indexOf(":") + 1).trim());
    }
  });
});
