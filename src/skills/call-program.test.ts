import { expect, test } from "vitest";
import { argumentProblems, callProgram } from "./call-program.ts";
import type { SkillEntry } from "./skill-store.ts";

const entry = (change: Partial<SkillEntry>): SkillEntry => ({
  function: "main",
  isAsync: true,
  calling: "positional",
  parameters: [
    { name: "query", type: "string", optional: false },
    { name: "limit", optional: true },
  ],
  ...change,
});

test("unknown and missing arguments are told with the right names", () => {
  expect(argumentProblems({ entry: entry({}) }, { qeury: 1 })).toEqual([
    'unknown argument "qeury", did you mean "query"?',
    '"query" (string) is missing',
  ]);
  expect(argumentProblems({ entry: entry({ parameters: [] }) }, { x: 1 })).toEqual([
    'unknown argument "x", it takes none',
  ]);
  expect(argumentProblems({ entry: entry({}) }, { query: "a" })).toEqual([]);
});

test("what takes more takes any name by keyword, and its own name by position", () => {
  expect(argumentProblems({ entry: entry({ rest: "more", calling: "keywords" }) }, { query: 1, any: 2 })).toEqual([]);
  expect(argumentProblems({ entry: entry({ rest: "more" }) }, { query: 1, more: [2] })).toEqual([]);
  expect(argumentProblems({ entry: entry({ rest: "more" }) }, { query: 1, any: 2 })).toHaveLength(1);
});

const skill = { name: "find", version: 3 };
const hostile = { query: '"); throw new Error("x"); ("\u2028\n\\' };

test("arguments are a literal in the program, never code", () => {
  const text = callProgram({ ...skill, language: "typescript", entry: entry({ rest: "more" }) }, hostile);
  const [first, second, third, ...none] = text.split("\n");
  expect(none).toEqual([]);
  expect(first).toBe('import { main as skill } from "skills/find@3";');
  const [, literal = ""] = /^const given = JSON\.parse\((".*")\);$/.exec(second ?? "") ?? [];
  expect(JSON.parse(JSON.parse(literal))).toEqual(hostile);
  expect(third).toBe('await skill(given["query"], given["limit"], ...(given["more"] ?? []))');
});

test("an entry that takes one object gets it", () => {
  const text = callProgram({ ...skill, language: "typescript", entry: entry({ calling: "object" }) }, { query: "a" });
  expect(text).toMatch(/await skill\(given\)$/);
});

test("Python gets keywords, and by position what it takes in no other way", () => {
  const python = entry({ calling: "keywords", positionalOnly: 1, isAsync: false });
  const text = callProgram({ ...skill, language: "python", entry: python }, { limit: 2, ...hostile });
  const [, , positions, keywords, call] = text.split("\n");
  const literal = (line = ""): unknown =>
    JSON.parse(JSON.parse(line.replace(/^.*json\.loads\(/, "").replace(/\)$/, "")));
  expect([literal(positions), literal(keywords), call]).toEqual([
    [hostile.query],
    { limit: 2 },
    "skill(*positions, **keywords)",
  ]);
  expect(callProgram({ ...skill, language: "python", entry: { ...python, isAsync: true } }, {})).toMatch(
    /\nawait skill\(/,
  );
});
