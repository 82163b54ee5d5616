import { expect, test } from "vitest";
import { functionSource } from "./function-source.ts";

test("a function of TypeScript takes along what it uses, with its types, and nothing else", async () => {
  const earlier = `const rate = 1.2;\nlet seen = 0;\nconst unused = await fetch("x");`;
  const source = `import { orders, customers as people } from "mcp_tools/data";
import * as fs from "node:fs";
import type { Row } from "mcp_tools/data";
/** One order. */
interface Order extends Row { amount: number; label?: string }
const limits = { most: 10, "least one": [-1, \`a\`] } as const;
/** With tax. */
const taxed = (amount: number) => amount * rate;
function other() { return seen + fs.length; }
// A comment.
/** The total of the first orders. */
async function total(count: number = limits.most, { label }: { label?: string } = {}): Promise<number> {
  const rows: Order[] = await orders({ count, seen: 1 });
  return rows.filter((row) => row.label === label).reduce((sum, { amount }) => sum + taxed(amount), 0);
}
const rows = await total(3);`;
  expect(await functionSource("total", [source, earlier], "typescript")).toBe(`import { orders } from "mcp_tools/data";
import type { Row } from "mcp_tools/data";

const rate = 1.2;

/** One order. */
interface Order extends Row { amount: number; label?: string }

const limits = { most: 10, "least one": [-1, \`a\`] } as const;

/** With tax. */
const taxed = (amount: number) => amount * rate;

/** The total of the first orders. */
export async function total(count: number = limits.most, { label }: { label?: string } = {}): Promise<number> {
  const rows: Order[] = await orders({ count, seen: 1 });
  return rows.filter((row) => row.label === label).reduce((sum, { amount }) => sum + taxed(amount), 0);
}
`);
});

test("a function of Python takes along what it uses, with its decorators, and nothing else", async () => {
  const earlier =
    "RATE = 1.2\nWORD = re.compile(r'\\w', re.I)\nimport re\nrows = load()\ndef taxed(amount):\n    return 0\n";
  const source = `import functools, os.path as paths
from mcp_tools.data import (orders, customers as people)
NAMES: dict[str, int] = {"a": 1, "b": -2}
class Order:
    tax = RATE
def taxed(amount):  # with tax
    return amount * Order.tax if WORD else 0
def unused():
    return rows

@functools.cache
def total(count: int = 10, *, rows=None) -> float:
    """The total of the first orders."""
    return sum(taxed(order["amount"]) for order in orders(count=count) if f"{NAMES}")

rows = total(3)
`;
  expect(await functionSource("total", [source, earlier], "python")).toBe(`import re
import functools
from mcp_tools.data import orders

RATE = 1.2

WORD = re.compile(r'\\w', re.I)

NAMES: dict[str, int] = {"a": 1, "b": -2}

class Order:
    tax = RATE

def taxed(amount):  # with tax
    return amount * Order.tax if WORD else 0

@functools.cache
def total(count: int = 10, *, rows=None) -> float:
    """The total of the first orders."""
    return sum(taxed(order["amount"]) for order in orders(count=count) if f"{NAMES}")
`);
});

const uses = (name: string, ...state: string[]) =>
  `The function ${name} uses ${state.join(", ")}, which only this run has`;

test.each([
  [
    "typescript",
    "let seen = 0; const rows = await load();\nfunction f() { return [seen, rows]; }",
    uses("f", "seen", "rows"),
  ],
  ["typescript", "const [one] = [1]; const f = () => g(); const g = () => one;", uses("f", "one")],
  ["python", "rows = load()\nseen = 1\nseen += 1\ndef f():\n    return rows, seen\n", uses("f", "rows", "seen")],
  ["python", "count = 1\ncount = 2\ndef f():\n    global count\n    count = 3\n", uses("f", "count")],
  ["python", "for row in [1]:\n    pass\ndef f():\n    return row\n", uses("f", "row")],
  ["typescript", "function outer() { function f() {} return f; }", 'defines no function "f" at its top level'],
  ["typescript", "const f = outer();", 'defines no function "f" at its top level'],
  ["python", "f = outer()\n", 'defines no function "f" at its top level'],
  ["python", "def outer():\n    def f(): pass\n", 'defines no function "f" at its top level'],
] as const)("%s: %j is refused", async (language, source, message) => {
  const taking = functionSource("f", [source], language);
  await expect(taking).rejects.toMatchObject({ code: "skill_invalid", message: expect.stringContaining(message) });
});

test("the last of several definitions counts, and one that a later run has made", async () => {
  const python = "def f():\n    return 1\ndef f():\n    return g\ng = 1\n";
  expect(await functionSource("f", [python, "g = 0\n"], "python")).toBe("def f():\n    return g\n\ng = 1\n");
  expect(await functionSource("f", ["const a = 1;", "const a = 2; const f = () => a"], "typescript")).toBe(
    "export const f = () => a;\n\nconst a = 1;\n",
  );
});
