import { expect, test } from "vitest";
import { wrapTypeScript } from "./wrap-function.ts";

test("imports stay at the top, the last expression is returned, texts stay as they are", () => {
  const source = `import { orders } from "mcp_tools/data"; import * as fs from "node:fs";
export interface Row { amount: number }
const text = \`a
b\`;
const rows: Row[] = await orders({ count: 2 });
// the sum
rows.map((row) => row.amount);
`;
  expect(wrapTypeScript(source, "sum", "Sums.")).toBe(`import { orders } from "mcp_tools/data";
import * as fs from "node:fs";

/** Sums. */
export async function sum() {
interface Row { amount: number }
const text = \`a
b\`;
const rows: Row[] = await orders({ count: 2 });
// the sum
return (rows.map((row) => row.amount));
}
`);
});

test("code without imports and without a value", () => {
  expect(wrapTypeScript("const a = 1;", "nothing", "Does.")).toBe(
    "/** Does. */\nexport async function nothing() {\nconst a = 1;\n}\n",
  );
});
