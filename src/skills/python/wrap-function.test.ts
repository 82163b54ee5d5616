import { expect, test } from "vitest";
import { wrapPython } from "./wrap-function.ts";

test("imports go to the top, the last expression is returned, texts stay as they are", () => {
  const source = `from mcp_tools.data import orders
import json  # for later
text = """a
  b"""
# the sum

def amount(row):
    import math
    return row["amount"]

rows = orders(
    count=2,
)
sum(
    amount(row) for row in rows
)
`;
  expect(wrapPython(source, "total", "Sums.")).toBe(`from mcp_tools.data import orders
import json


def total():
    """Sums."""
    # for later
    text = """a
  b"""
    # the sum

    def amount(row):
        import math
        return row["amount"]

    rows = orders(
        count=2,
    )
    return sum(
        amount(row) for row in rows
    )
`);
});

test.each([
  ["x = await f()\nx", "async def"],
  ["async with f() as g:\n    pass", "async def"],
  ["async def f():\n    await g()\nf", "def"],
])("%j becomes %s", (source, keyword) => {
  expect(wrapPython(source, "total", "Sums.")).toMatch(new RegExp(`^${keyword} total`));
});

test("code of nothing but imports and comments is a function all the same", () => {
  expect(wrapPython("import json\n# nothing", "total", "Sums.")).toBe(
    'import json\n\n\ndef total():\n    """Sums."""\n    # nothing\n',
  );
});
