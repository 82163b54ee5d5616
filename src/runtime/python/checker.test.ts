import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Library } from "../../catalog/tool.ts";
import type { CheckContext, Checker } from "../compiled.ts";
import { createPythonChecker } from "./checker.ts";
import { compilePython } from "./compile.ts";
import { startLanguageServer } from "./language-server.ts";
import { arxiv, coordinatorStubs, libraries } from "./libraries.fixture.ts";

const folder = mkdtempSync(join(tmpdir(), "python-checker-"));
const checkers: Checker[] = [];
const start = (options: { timeoutMs?: number } = {}) => {
  const checker = createPythonChecker({ coordinatorStubs, folder, ...options });
  checkers.push(checker);
  return checker;
};
afterEach(async () => {
  await Promise.all(checkers.splice(0).map((checker) => checker[Symbol.asyncDispose]()));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
});

const messages = async (
  checker: Checker,
  code: string,
  known: readonly Library[] = libraries,
  context?: CheckContext,
) => (await checker.check(code, known, context)).map(({ line, message }) => `${line}: ${message}`);

/** Processes whose home is the checker's private folder. */
const processes = () =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, "utf8").includes(`HOME=${folder}`);
      } catch {
        return false; // ended meanwhile, or not ours to see
      }
    })
    .map(Number);

describe("a session", () => {
  test("keeps names, and the types of what it imported", async () => {
    const checker = start();
    const first = `import json, os.path
from math import *
from mcp_tools.arxiv import search_papers as find
from mcp_tools import arxiv as a
import mcp_tools.chroma
results = [1]
def helper(x): return x`;
    const kept = compilePython(first).declared;
    const works = `results = [r for r in results if r]
print(helper(1), json.dumps(results), os.path.join("a"), sqrt(2), helper.anything())
find(query="x")[0]["title"], a.stats()["total"], mcp_tools.chroma.count_all(limit=1)`;
    expect(await messages(checker, first)).toEqual([]);
    expect(await messages(checker, works, libraries, { kept })).toEqual([]);
    const fails = 'find(qery="x")\nresluts\na.stat()\nmcp_tools.chroma.count_all(limt=1)\njson.dmps({})';
    expect(await messages(checker, fails, libraries, { kept })).toEqual([
      '1: "search_papers" has no parameter "qery". Did you mean "query"?',
      '2: "resluts" is not defined. Did you mean "results"?',
      '3: "mcp_tools.arxiv" has no tool "stat". Did you mean "stats"?',
      '4: "count_all" has no parameter "limt". Did you mean "limit"?',
      '5: Module "json" has no "dmps". Did you mean "dumps"?',
    ]);
    expect(await messages(checker, works)).toContain('1: "results" is not defined.');
  });

  test("can start with a __future__ import, and has no names that are code", async () => {
    const checker = start();
    const kept = [{ name: "x" }, { name: "y; import os" }, { name: "z", from: { specifier: "os; a", member: "b" } }];
    expect(await messages(checker, "from __future__ import annotations\nx.y", [], { kept })).toEqual([]);
    expect(await messages(checker, "os", [], { kept })).toHaveLength(1);
  });
});

describe("libraries", () => {
  test("that changed are seen as they are now", async () => {
    const checker = start();
    const renamed = { ...arxiv, tools: arxiv.tools.map((tool) => ({ ...tool, identifier: `${tool.identifier}s` })) };
    const code = "from mcp_tools.arxiv import stats";
    expect(await messages(checker, code)).toEqual([]);
    expect(await messages(checker, code, [renamed])).toEqual([
      '1: "mcp_tools.arxiv" has no tool "stats". Did you mean "statss"?',
    ]);
    expect(await messages(checker, code)).toEqual([]);
  });

  test("that came later are found, and those that this run may not use are not", async () => {
    const checker = start();
    const code = "from mcp_tools.later import stats\nstats(x=1)";
    expect(await messages(checker, code)).toEqual([expect.stringContaining('1: Cannot find "mcp_tools.later"')]);
    const later = { ...arxiv, server: "later", module: "later" };
    expect(await messages(checker, code, [later])).toEqual([
      expect.stringContaining('2: "stats" has no parameter "x"'),
    ]);
    expect((await messages(checker, code))[0]).toContain('1: Cannot find "mcp_tools.later"');
  });
});

describe("what pyright may read", () => {
  test("is our folder and the standard library: no file of the host, no package of its Python", async () => {
    const root = join(folder, "a", "b");
    mkdirSync(root, { recursive: true });
    for (const place of [folder, join(folder, "a"), root]) writeFileSync(join(place, "secret.py"), "token: int = 1\n");
    writeFileSync(join(root, "pyrightconfig.json"), JSON.stringify({ pythonVersion: "3.11" }));
    writeFileSync(join(folder, "a", "pyproject.toml"), "[tool.pyright]\nstrict = ['.']\n");
    const server = startLanguageServer(root);
    const alive = setInterval(() => {}, 1000);
    try {
      const text = "from ..secret import token\nfrom .secret import token as t2\nfrom . import secret\nimport pip";
      const found = await server.diagnose(`${text}\ntoken.nothing; t2.nothing; secret.token.nothing`);
      const missing = found.map(({ code, range }) => `${range.start.line} ${code}`);
      expect(missing).toEqual([...[0, 1, 2, 3].map((line) => `${line} reportMissingImports`)]);
    } finally {
      clearInterval(alive);
      await server.end();
    }
  });

  test("is for us alone, and gone with the checker", async () => {
    const checker = start();
    await checker.check("1", libraries);
    const [stubs] = readdirSync(folder);
    expect(statSync(join(folder, stubs as string)).mode & 0o777).toBe(0o700);
    expect(processes()).toHaveLength(1);
    await checker.stop();
    expect(readdirSync(folder)).toEqual([]);
    expect(processes()).toEqual([]);
    expect(await messages(checker, "x")).toEqual(['1: "x" is not defined.']);
  });
});

describe("a process that fails", () => {
  test("is replaced by the next check", async () => {
    const checker = start();
    await checker.check("1", libraries);
    const [pid] = processes();
    const checking = Promise.all([checker.check("1", libraries), checker.check("x", libraries)]);
    process.kill(pid as number, "SIGKILL");
    await checking.catch(() => {});
    expect(await messages(checker, "x")).toEqual(['1: "x" is not defined.']);
    expect(processes()).not.toContain(pid);
  });

  test("and answers no more is ended, and the check says so", async () => {
    const checker = start({ timeoutMs: 2000 });
    await checker.check("1", libraries);
    const [pid] = processes();
    process.kill(pid as number, "SIGSTOP");
    await expect(checker.check("2", libraries)).rejects.toMatchObject({
      code: "check_timeout",
      hint: expect.stringContaining("nothing has run"),
    });
    expect(await messages(checker, "x")).toEqual(['1: "x" is not defined.']);
    expect(processes()).not.toContain(pid);
  }, 60_000);
});

test("texts without end, and texts that are no Python, are answered", async () => {
  const checker = start();
  for (const code of ["(".repeat(300), "\0", "\uFEFFx = 1", "x = 1\r\ny\r\n", "x\n".repeat(2000), "é = '𝒳'; 𝒳𝒳"]) {
    expect(await checker.check(code, libraries)).toBeInstanceOf(Array);
  }
  expect(await messages(checker, "\r\n\r\nfoo\r\n")).toEqual(['3: "foo" is not defined.']);
  expect(await messages(checker, "#\tx\n")).toEqual([]);
  const [problem] = await checker.check(
    "from mcp_tools.arxiv import search_papers\nsearch_papers(tags='\u001b[31m', query='')",
    libraries,
  );
  expect(problem?.message).not.toMatch(/\p{Cc}/u);
});

test("a checker that was closed checks no more", async () => {
  const checker = start();
  await checker[Symbol.asyncDispose]();
  await expect(checker.check("1", libraries)).rejects.toMatchObject({ code: "sandbox_failed" });
});
