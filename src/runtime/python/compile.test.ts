import { describe, expect, test } from "vitest";
import { compilePython, pythonNestingProblem } from "./compile.ts";
import { withoutBigNumbers } from "./syntax-tree.ts";

const imports = (source: string) =>
  compilePython(source).imports.map(({ specifier, library, line, column }) => {
    return `${specifier}${library === undefined ? "" : ` (${library})`} ${line}:${column}`;
  });
const declared = (source: string) =>
  compilePython(source).declared.map(({ name, from }) => (from ? `${name} = ${from.specifier}:${from.member}` : name));

describe("imports", () => {
  test.each<[string, string, string[]]>([
    ["plain ones", "import os.path as p, json", ["os.path 1:8", "json 1:22"]],
    ["inside functions and branches", "def f():\n  if x:\n    import csv", ["csv 3:12"]],
    ["members", "from collections import (deque,\n  Counter as C)", ["collections 1:26", "collections 2:3"]],
    ["a star", "from math import *", ["math 1:18"]],
    ["relative ones", "from ..x.y import b", ["..x.y 1:19"]],
    ["over a line's end", "from os import \\\n  path", ["os 2:3"]],
    ["a library's tool", "from mcp_tools.github import issues", ["mcp_tools.github (github) 1:30"]],
    ["a library", "import mcp_tools.github as g", ["mcp_tools.github (github) 1:8"]],
    ["libraries by name", "from mcp_tools import a, b as c", ["mcp_tools (a) 1:23", "mcp_tools (b) 1:26"]],
    ["an async twin", "from mcp_tools.aio.github import x", ["mcp_tools.aio.github (github) 1:34"]],
    ["async twins by name", "from mcp_tools.aio import a", ["mcp_tools.aio (a) 1:27"]],
    ["the twins themselves", "from mcp_tools import aio", ["mcp_tools 1:23"]],
    [
      "a library as an attribute",
      "import mcp_tools\nmcp_tools.github.issues(a=mcp_tools.aio.jira.x)",
      ["mcp_tools 1:8", "mcp_tools.github (github) 2:1", "mcp_tools.aio.jira (jira) 2:27"],
    ],
    [
      "a twin as an attribute",
      "from mcp_tools import aio as a\nawait a.jira.find()",
      ["mcp_tools 1:23", "mcp_tools.aio.jira (jira) 2:7"],
    ],
    ["importlib", 'importlib.import_module("mcp_tools.a")', ["mcp_tools.a (a) 1:25"]],
    ["__import__", "__import__('os')", ["os 1:12"]],
    ["not what is computed", "__import__(name); __import__('o' + 's'); import_module(f'{x}')", []],
    ["not strings and comments", 'x = \'import a\'\n# import b\n"""\nimport c\n"""\nr\'import d\'', []],
  ])("%s", (_name, source, expected) => {
    expect(imports(source)).toEqual(expected);
  });
});

describe("what a session keeps", () => {
  test.each<[string, string, string[]]>([
    ["assignments", "a = 1\nb: int = 2\nc += 1\nd = e = 3", ["a", "b", "c", "d", "e"]],
    ["targets with parts", "a, (b, *c) = [d, e] = x\n[f] = y", ["a", "b", "c", "d", "e", "f"]],
    ["not members and items", "a.b = 1\na[c] = 2", []],
    ["not what has no value", "a: int", []],
    ["definitions", "def f(a): b = 1\n@d\nclass C: c = 1\nasync def g(): pass", ["f", "C", "g"]],
    [
      "loops and contexts",
      "for i, (j, k) in x:\n  y = 1\nwith a() as b, c() as (d, e): pass",
      ["i", "j", "k", "y", "b", "d", "e"],
    ],
    ["branches", "if x:\n  a = 1\nelse:\n  b = 2\ntry:\n  c = 1\nexcept E as e:\n  d = 1", ["a", "b", "c", "d"]],
    ["walruses", "if (n := f()):\n  pass\n[m := x for x in y]\nlambda: (o := 1)", ["n", "m"]],
    ["captures", "match v:\n  case {'a': k, **rest}: pass\n  case P(x=y) as p: pass", ["k", "rest", "p", "y"]],
    ["globals of functions", "def f():\n  global g, h\n  g = 1", ["f", "g", "h"]],
    ["not what is deleted", "a = b = 1\ndel a", ["b"]],
    ["what may be deleted", "a = 1\nif x: del a", ["a"]],
    ["a type", "type X = int", ["X"]],
    [
      "imports with their origin",
      "import json as j, os.path\nfrom mcp_tools.a import b as c\nfrom mcp_tools import d, ToolError\nfrom math import *",
      [
        "j = json:*",
        "os = os.path:*",
        "c = mcp_tools.a:b",
        "d = mcp_tools.d:*",
        "ToolError = mcp_tools:ToolError",
        "math.* = math:*",
      ],
    ],
  ])("%s", (_name, source, expected) => {
    expect(declared(source)).toEqual(expected);
  });
});

test.each([
  "def (",
  "from",
  "import",
  "from . import",
  "x = = 1",
  "\0\uFEFF\u2028",
  "(".repeat(50_000),
  "1 +".repeat(50_000),
  `${"(".repeat(50_000)}a${")".repeat(5_000)} = 1`,
  "class\n  :",
  "a.".repeat(20_000),
  '"""',
  "f'{",
])("odd code %# is read, and stays as it is", (source) => {
  expect(compilePython(source).code).toBe(source);
});

test.each<[string, string]>([
  ["lambdas", `${"lambda: ".repeat(20_000)}1`],
  ["choices", `${"1 if 1 else ".repeat(20_000)}1`],
  ["comparisons", `1${"<1".repeat(50_000)}`],
  ["a path of modules", `import ${"a.".repeat(20_000)}a`],
  ["calls of calls", `f = lambda: f\nf${"()".repeat(50_000)}`],
  ["a long list", `x = [${"1, ".repeat(60_000)}]`],
])("%s without end are read in no time", (_name, source) => {
  const started = performance.now();
  pythonNestingProblem(source);
  compilePython(source);
  expect(performance.now() - started).toBeLessThan(2000);
});

test("what nests too deeply is refused, ordinary code is not", () => {
  expect(pythonNestingProblem(`${"lambda: ".repeat(20_000)}1`)).toMatchObject({
    message: "The code is nested too deeply",
  });
  expect(pythonNestingProblem("[".repeat(50_000))).toBeDefined();
  expect(pythonNestingProblem(`x = ${Array.from({ length: 300 }, (_, i) => `a${i}`).join(" + ")}`)).toBeUndefined();
  expect(pythonNestingProblem(`x = ${"[".repeat(100)}1${"]".repeat(100)}`)).toBeUndefined();
});

test("powers and shifts are not left for pyright to compute, and every place stays", () => {
  const source = "x = 7 ** 7 ** 9\ny = 1 << 4\nf(**k)\nx **= 3\ny <<= 2\ns = '**'";
  expect(withoutBigNumbers(source)).toBe("x = 7 *  7 *  9\ny = 1 +  4\nf(**k)\nx  *= 3\ny  += 2\ns = '**'");
});
