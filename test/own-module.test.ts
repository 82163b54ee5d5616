import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Coordinator } from "../src/app/coordinator.ts";
import type { Language } from "../src/sandbox/engine.ts";
import { openCoordinator } from "./open-coordinator.ts";

// The guests' own module `coordinator`, as a model meets it: what it says of itself, and of a call that is wrong.

let coordinator: Coordinator;
beforeAll(async () => {
  coordinator = await openCoordinator({ mcpServers: {} });
});
afterAll(() => coordinator.close());

const run = async (language: Language, code: string, options: { check?: boolean; session?: string } = {}) => {
  const { status, result, stdout, error } = await coordinator.execute({ language, code, ...options });
  return { status, result, stdout, message: error?.message ?? "" };
};

const save = {
  typescript:
    'It takes: artifacts.save(name: string, data: unknown): { uri, bytes: number, mediaType }   e.g. await artifacts.save("report.md", "# Sales")',
  python:
    'It takes: artifacts.save(name: str, data: Any) -> { uri, bytes: int, mediaType }   e.g. artifacts.save("report.md", "# Sales")',
};
const lines = {
  typescript:
    'It takes: artifacts.lines(uri, { from = 1, limit = 1000, matching? }): { lines: { number: number, text }[], next: number | null }   e.g. await artifacts.lines("output.txt", { matching: "ERROR" })',
  python:
    'It takes: artifacts.lines(uri, *, from_=1, limit=1000, matching=...) -> { lines: [{ number: int, text }], next: int | None }   e.g. artifacts.lines("output.txt", matching="ERROR")',
};

describe("a wrong call is answered with what the function takes, and an example,", () => {
  test.each<[Language, string, string]>([
    ["typescript", 'artifacts.save("x");', `Expected 2 arguments, but got 1. ${save.typescript}`],
    ["typescript", 'artifacts.lines("x", { mtching: "" });', `Did you mean to write 'matching'? ${lines.typescript}`],
    ["typescript", 'files.save("x");', `Expected 2 arguments, but got 1. ${save.typescript}`],
    ["typescript", 'own.artifacts.save("x");', `Expected 2 arguments, but got 1. ${save.typescript}`],
    [
      "typescript",
      'artifacts.sav("x", 1);',
      `"artifacts" of coordinator: Property 'sav' does not exist. Did you mean 'save'?`,
    ],
    ["python", 'artifacts.save(nme="x")', `"save" has no parameter "nme". ${save.python}`],
    ["python", 'artifacts.save("x")', `Argument missing for parameter "data" of "save". ${save.python}`],
    ["python", 'artifacts.save("x", "y", "z")', `Expected 2 positional arguments. ${save.python}`],
    ["python", 'artifacts.lines("x", limit="all")', `"limit" of "lines": 'all' is not int. ${lines.python}`],
    ["python", "await aio.artifacts.lines()", lines.python.replace("e.g. ", "e.g. await ")],
  ])("by the check: %s, %s", async (language, code, told) => {
    const imports = {
      typescript: `import { artifacts, artifacts as files } from "coordinator"; import * as own from "coordinator"; void [files, own];`,
      python: "from coordinator import artifacts, aio",
    };
    const { status, message } = await run(language, `${imports[language]}\n${code}`);
    expect(status).toBe("check_failed");
    expect(message).toContain(told);
  });

  test("in a session that has imported it before", async () => {
    for (const [language, code] of [
      ["typescript", 'import { artifacts } from "coordinator"; 0'],
      ["python", "from coordinator import artifacts"],
    ] as const) {
      await run(language, code, { session: "own" });
      expect((await run(language, 'artifacts.save("x")', { session: "own" })).message).toContain(save[language]);
    }
  });

  test.each<[Language, string, string]>([
    ["typescript", 'artifacts.save("x")', `Cannot run artifacts.save: data: is missing. ${save.typescript}`],
    ["typescript", 'artifacts.lines("x", { mtching: 1 })', `did you mean "matching"? ${lines.typescript}`],
    [
      "python",
      'artifacts.save(**{"nme": 1})',
      `artifacts.save() got an unexpected keyword argument 'nme'. ${save.python}`,
    ],
    [
      "python",
      'artifacts.lines(**{"uri": 1})',
      `Cannot run artifacts.lines: uri: expected string, received number. ${lines.python}`,
    ],
    [
      "python",
      'artifacts.lines(*"ab")',
      "artifacts.lines() takes at most 1 arguments by position. It takes: artifacts.lines(uri: str, *, from_: int = 1,",
    ],
  ])("when it runs: %s, %s", async (language, call, told) => {
    const code = {
      typescript: `import { artifacts } from "coordinator"; let told = ""; try { await ${call}; } catch (e) { told = e.message; } told`,
      python: `from coordinator import artifacts\ntold = ""\ntry:\n    ${call}\nexcept Exception as e:\n    told = str(e)\ntold`,
    };
    const { result, message } = await run(language, code[language], { check: false });
    expect(message).toBe("");
    expect(result).toContain(told);
  });
});

describe("Python's own help", () => {
  test("shows a function with its types, defaults and an example", async () => {
    const { stdout, message } = await run("python", "from coordinator import artifacts\nhelp(artifacts.lines)");
    expect(message).toBe("");
    expect(stdout).toBe(`Help on function in artifacts:

artifacts.lines(uri: str, *, from_: int = 1, limit: int = 1000, matching: str = ...) -> { lines: [{ number: int, text }], next: int | None }
    Lines of an artifact, or those that contain a text; next is where to go on, null at the end
    - uri: artifact://<run>/<name>, or the name of one of this run or session
    - from_: the first line to look at, from 1 (>= 1, default 1)
    - limit: 1..100000, default 1000
    - matching: only lines that contain this text, or match this /regular expression/
    
    For example: artifacts.lines("output.txt", matching="ERROR")

`);
  });

  test("shows a group as one line a function, and inspect knows what each takes", async () => {
    const code = `
import inspect, sys
from coordinator import aio, memory, session, skills
print(inspect.signature(memory.delete), dir(session), list(inspect.signature(aio.memory.set).parameters))
print(inspect.signature(skills.get).parameters["version"].kind.description, memory.delete.__doc__.splitlines()[0])
help(session)`;
    const { stdout, message } = await run("python", code);
    expect(message).toBe("");
    expect(
      stdout,
    ).toBe(`(key: str, *, namespace: str = "default") -> bool ['end'] ['key', 'value', 'metadata', 'namespace', 'if_revision']
keyword-only Forget a key; answers whether it was there
Help on functions in coordinator:

coordinator.session = <end>
    session.end() -> Any  # End this session when the run has ended, and forget what it holds

`);
  });
});
