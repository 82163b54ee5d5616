import { expect, test } from "vitest";
import { languageOfCode } from "./code-language.ts";

test.each([
  ["import pandas as pd\ndf = pd.read_csv('a.csv')\n", "python"],
  ["def f(x):\n    return x\n", "python"],
  ['print("hello")', "python"],
  ["x = None if len(rows) == 0 else rows", "python"],
  ["for row in rows:\n    print(row\n", "python"],
  ["#!/usr/bin/env python3\nx = 1\n", "python"],
  [`${"# a comment\n".repeat(1000)}import os\n`, "python"],
  ['import { a } from "mcp_tools/a";\na();', "typescript"],
  ["const x: number = 1;", "typescript"],
  ["#!/usr/bin/env -S deno run\nx = 1\n", "typescript"],
  ['console.log("print(1)")', undefined],
  ["x = 1\n", undefined],
  ["", undefined],
  ["Some words, and no code.", undefined],
])("%j is %s", async (code, language) => {
  expect(await languageOfCode(code)).toBe(language);
});
