import { expect, test } from "vitest";
import { readTypeScriptSkill } from "./entry-function.ts";

test("parameters come with their types, defaults and descriptions", () => {
  const source = `import { orders } from "mcp_tools/data";

/**
 * Sums orders.
 *
 * @param customer whose
 * @param {number} [limit] - how many at most
 */
export async function order_total(customer: string, limit = 10, verbose?: boolean, ...ids: number[]) {}`;
  expect(readTypeScriptSkill("order_total", source)).toEqual({
    entry: {
      function: "order_total",
      isAsync: true,
      calling: "positional",
      parameters: [
        { name: "customer", type: "string", optional: false, description: "whose" },
        { name: "limit", optional: true, description: "how many at most" },
        { name: "verbose", type: "boolean", optional: true },
      ],
      rest: "ids",
    },
    summary: "Sums orders.",
    libraries: [{ module: "data", identifier: "orders" }],
    imports: [],
    problems: [],
  });
});

test.each([
  ["a pattern with a type", "({ a, b = 2 }: { a: string; b: number; c?: string[] }) => a"],
  ["a type of its own", "(options: Options) => options.a"],
])("one object is taken apart: %s", (_what, text) => {
  const source = `interface Options { a: string; b?: number; c?: string[] }\n/** Does. */\nexport const go = ${text};`;
  const { entry } = readTypeScriptSkill("go", source);
  expect(entry).toEqual({
    function: "go",
    isAsync: false,
    calling: "object",
    parameters: [
      { name: "a", type: "string", optional: false },
      { name: "b", type: "number", optional: true },
      { name: "c", type: "string[]", optional: true },
    ],
  });
});

test.each([
  ["named like the skill", "/** A. */ export function other() {}\n/** B. */ export function wanted() {}", "wanted"],
  ["main", "/** A. */ export function other() {}\n/** B. */ export function main() {}", "main"],
  ["the only one", "function hidden() {}\n/** A. */ export const only = function () {};", "only"],
  ["exported later", "/** A. */ function hidden() {}\nexport { hidden as shown };", "shown"],
])("the entry function is the one %s", (_what, source, expected) => {
  expect(readTypeScriptSkill("wanted", source)).toMatchObject({ entry: { function: expected }, problems: [] });
});

test.each([
  ["/** A. */ function wanted() {}", "There is no function that others can import: write export function wanted(…)"],
  [
    "/** A. */ export function a() {}\n/** B. */ export function b() {}",
    "It is not clear which function is meant, a or b: name one of them wanted",
  ],
  [
    "\n// no doc\nexport function wanted() {}",
    "The function wanted has no doc comment (/** … */) that says what it does: write /** Totals by country. */ above it",
  ],
  [
    'import { call } from "mcp_tools";\n/** A. */ export const wanted = () => call("a", "b");',
    "A skill says which servers it uses: import from mcp_tools/<server> instead of calling any server by name",
  ],
])("%j is refused", (source, message) => {
  expect(readTypeScriptSkill("wanted", source).problems.map((problem) => problem.message)).toEqual([message]);
});

test("tools are named exactly where the import does so; else they are all of the server", () => {
  const source = `import * as data from "mcp_tools/data";
import { call, list_tools } from "mcp_tools/files";
import { read, list_tools as tools, type Row } from "mcp_tools/memory";
import type { Other } from "mcp_tools/nothing";
import { clean } from "skills/clean";
import { old } from "skills/old@2";
export * from "mcp_tools/passed";
/** A. */ export const f = async () => (await import("mcp_tools/late")).tool();`;
  const { libraries, imports } = readTypeScriptSkill("f", source);
  expect(libraries).toEqual([
    { module: "data", identifier: "*" },
    { module: "files", identifier: "*" },
    { module: "memory", identifier: "read" },
    { module: "passed", identifier: "*" },
    { module: "late", identifier: "*" },
  ]);
  expect(imports).toEqual(["clean", "old@2"]);
});
