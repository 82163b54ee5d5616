import { expect, test } from "vitest";
import { readPythonSkill } from "./entry-function.ts";

test("parameters come with their types, defaults and descriptions", () => {
  const source = `"""A module."""
from mcp_tools.data import orders

def _hidden(): pass

@cache
async def order_total(customer: str, /, limit: int | None = 10, *ids, verbose=False, **more) -> int:
    """Sums orders.

    Args:
        customer (str): whose
        limit: how many: at most
    Returns:
        verbose: not a parameter here
    """
    return 1
`;
  expect(readPythonSkill("order_total", source)).toEqual({
    entry: {
      function: "order_total",
      isAsync: true,
      calling: "keywords",
      parameters: [
        { name: "customer", type: "str", optional: false, description: "whose" },
        { name: "limit", type: "int | None", optional: true, description: "how many: at most" },
        { name: "verbose", optional: true },
      ],
      positionalOnly: 1,
      rest: "more",
    },
    summary: "Sums orders.",
    libraries: [{ module: "data", identifier: "orders" }],
    imports: [],
    problems: [],
  });
});

test(":param lines describe too, and any quotes make a docstring", () => {
  const source = "def f(a, b):\n  '''\n  Does.\n  :param a: the first\n  :param int b: the second\n  '''\n";
  expect(readPythonSkill("f", source)).toMatchObject({
    summary: "Does.",
    entry: { parameters: [{ description: "the first" }, { description: "the second" }] },
  });
});

test.each([
  ["_wanted = 1", "There is no function that others can import: write def wanted(…):"],
  ["def a(): 'A'\ndef b(): 'B'", "It is not clear which function is meant, a or b: name one of them wanted"],
  [
    "def wanted():\n  return 1",
    'The function wanted has no docstring that says what it does: write """Totals by country.""" as its first line',
  ],
  [
    "from mcp_tools import call\ndef wanted(): 'A'",
    "A skill says which servers it uses: import from mcp_tools.<server> instead of calling any server by name",
  ],
])("%j is refused", (source, message) => {
  expect(readPythonSkill("wanted", source).problems.map((problem) => problem.message)).toEqual([message]);
});

test("tools are named exactly where the import does so; else they are all of the server", () => {
  const source = `import mcp_tools
import mcp_tools.data as data
from mcp_tools import files
from mcp_tools.aio.memory import read, list_tools
from mcp_tools.star import *
from skills.clean import clean
from skills import other
from skills.old.v2 import old
import importlib
late = importlib.import_module("mcp_tools.late")
def f():
    "A."
    return mcp_tools.byattr.tool()
`;
  const { libraries, imports } = readPythonSkill("f", source);
  expect(libraries).toEqual([
    { module: "data", identifier: "*" },
    { module: "files", identifier: "*" },
    { module: "memory", identifier: "read" },
    { module: "star", identifier: "*" },
    { module: "late", identifier: "*" },
    { module: "byattr", identifier: "*" },
  ]);
  expect(imports).toEqual(["clean", "other", "old@2"]);
});
